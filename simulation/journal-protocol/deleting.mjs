import {
  bucketOf,
  bucketSize,
  commitKey,
  eventKey,
  highMarkKey,
  lowMarkKey,
  tombstoneLife,
  transactionRows,
  writerKey,
} from "./layout.mjs";
import { lastOfWrite, readPosition } from "./reading.mjs";
import { lost, read, readTogether, sure, write } from "./world.mjs";

/**
 * Deletes up to a number. The low mark that counts stands in the writer item: it is raised first, and then the rows go. The
 * mark remembers what is left to do. The low mark of the original's is raised when no row is left below it: it
 * removes rows from its low mark on, and would leave those below for good.
 *
 * The id may be purged and begin a new life between any two requests. The writer item names the life; the first request of a
 * delete reads that name, and everything it writes to marks is rejected where another stands there.
 */
export function* deleteTo(world, asked, options, { dropsRows = true } = {}) {
  const { shared, fault } = options;
  const life = yield* claimLife(world);
  for (;;) {
    const { highest, low, own } = yield* readPosition(options);
    const to = Math.min(asked, highest);
    const isDeleted = to < 1 || to < low.seq;
    const drop = (mark) =>
      dropsRows ? dropDeleted(world, mark, life, options) : finish(mark, mark, undefined, life, fault);
    if (isDeleted && own >= low.seq) return yield* drop(low);
    const seq = isDeleted ? low.seq : to + 1;
    const raised = { ...low, seq, ...(fault === "forget-rows" && { rowsFrom: low.seq || 1 }) };
    if (fault === "mark-last") yield* dropRows(world, raised, life, options);
    const isOf = lifeCheck(life, fault);
    const answer = yield write(
      {
        key: writerKey,
        when: (item) => isOf(item) && (item?.mark?.seq ?? 0) < seq,
        to: (item) => ({ ...item, mark: raised }),
      },
      shared && highMark(highest),
      fault === "low-mark-early" && lowMark(seq),
    );
    if (answer.ok) return yield* drop(raised);
    if (answer !== lost && !isOf(yield* read(writerKey))) return;
  }
}

/** The name of the life that the id has now. */
export function* claimLife(world) {
  const fresh = world.newId("l");
  yield* sure(
    write({
      key: writerKey,
      when: (item) => item?.life === undefined,
      to: (item) => ({ ...item, life: fresh }),
    }),
  );
  return (yield* read(writerKey))?.life;
}

export function lifeCheck(life, fault) {
  return (item) => fault === "mark-any-life" || item?.life === life;
}

/** The mark by which the original finds the last bucket. */
function highMark(highest) {
  const seq = bucketOf(highest) * bucketSize;
  return {
    key: highMarkKey(highest),
    to: (mark) => (seq === 0 || mark?.seq >= seq ? mark : { seq }),
  };
}

function lowMark(seq) {
  return { key: lowMarkKey(seq), to: (mark) => (mark?.seq >= seq ? mark : { seq }) };
}

function* dropDeleted(world, mark, life, options) {
  const { shared, fault } = options;
  const isDue = mark.tombsDue <= world.time || fault === "sweep-early";
  const sweeps = mark.tombsFrom < mark.rowsFrom && isDue;
  if (mark.rowsFrom >= mark.seq && !sweeps) return;
  const swept = sweeps ? yield* sweep(world, mark, life, fault) : mark;
  const last = yield* shared ? removeRows(world, mark, life, options) : dropRows(world, mark, life, options);
  if (last === "another life") return;
  const none = swept.tombsFrom >= mark.rowsFrom;
  const done = { ...swept, rowsFrom: mark.seq, tombsDue: none ? world.time + tombstoneLife : swept.tombsDue };
  yield* finish(mark, done, last, life, fault);
}

/**
 * Notes that the rows are gone, and raises the low mark of the original's, unless another delete has raised the mark since
 * and taken the work over. The last row is removed at the same moment: until then the original derives its position from it.
 */
function* finish(mark, done, last, life, fault) {
  const isOf = lifeCheck(life, fault);
  for (let row = last; ; ) {
    if (fault === "last-row-alone" && row !== undefined) yield* removeRow(row);
    const answer = yield write(
      {
        key: writerKey,
        when: (item) => isOf(item) && item?.mark?.seq === mark.seq,
        to: (item) => ({ ...item, mark: done }),
      },
      lowMark(mark.seq),
      row !== undefined &&
        fault !== "last-row-alone" && { key: eventKey(row.seq), when: isStill(row), to: () => undefined },
    );
    if (answer.ok || answer.refused === writerKey) return;
    if (answer !== lost) row = undefined;
    else if (row !== undefined && !isStill(row)(yield* read(eventKey(row.seq)))) row = undefined;
  }
}

/** Whether rows that were just read may be dropped: an existing mark says that they belong to its life. */
export function* stillDeleted({ seq }, life, fault) {
  if (fault === "rows-of-any-life") return true;
  const item = yield* read(writerKey);
  return item?.life === life && item?.mark?.seq >= seq;
}

/**
 * Where the original shares the table: rows go, as it removes them itself. All but the last, which is returned: it goes with
 * the low mark.
 */
function* removeRows(world, mark, life, { fault }) {
  const rows = yield* rowsBelow(mark.rowsFrom, mark.seq, fault);
  if (!(yield* stillDeleted(mark, life, fault))) return "another life";
  rows.sort((one, other) => (fault === "last-row-first" ? other.seq - one.seq : one.seq - other.seq));
  const last = rows.pop();
  for (const row of rows) {
    yield* keepRecord(world, row, fault);
    yield* removeRow(row);
  }
  if (last !== undefined) yield* keepRecord(world, last, fault);
  return last;
}

function* removeRow(row) {
  yield* sure(write({ key: eventKey(row.seq), when: isStill(row), to: () => undefined }));
}

/** Rows become tombstones, each on its own. */
function* dropRows(world, mark, life, { fault }) {
  const rows = yield* rowsBelow(mark.rowsFrom, mark.seq, fault);
  if (fault !== "mark-last" && !(yield* stillDeleted(mark, life, fault))) return "another life";
  for (const row of rows) {
    if (row.tombstone) continue;
    const { seq: number, writeId } = row;
    const commitOf = yield* keepRecord(world, row, fault);
    const expiry = world.time + tombstoneLife;
    const tombstone =
      fault === "no-tombstone" ? undefined : { seq: number, tombstone: true, writeId, expiry, commitOf };
    const when = fault === "tombstone-any-row" ? undefined : isStill(row);
    yield* sure(write({ key: eventKey(number), when, to: () => tombstone }));
  }
  return undefined;
}

/** A delete removes the row that it has read, and nothing that has replaced it. */
function isStill(row) {
  return (now) => ["writeId", "originalId", "tombstone"].every((name) => now?.[name] === row?.[name]);
}

/** The commit record of a batch expires with the last of its rows. Returns the first number of the batch. */
export function* keepRecord(world, { seq, writeId, index, lastIndex, staged }, fault) {
  if (!staged || index !== lastIndex) return undefined;
  const expiry = world.time + tombstoneLife;
  const record = fault === "drop-commit-record" ? undefined : { writeId, last: seq, expiry };
  yield* sure(write({ key: commitKey(seq - index), when: isRecordOf(writeId, fault), to: () => record }));
  return seq - index;
}

/** Another batch may have come in place of this one, with a record of the same key. */
export function isRecordOf(writeId, fault) {
  return fault === "record-of-any-life" ? undefined : (record) => record?.writeId === writeId;
}

/** The rows of some numbers. Those of a write that becomes visible just now are waited for: a transaction of reads does. */
function* rowsBelow(from, end, fault) {
  const rows = [];
  for (let number = from; number < end; number++) {
    const row = yield* read(eventKey(number));
    if (row !== undefined) rows.push(row);
  }
  const onTheirWay = fault === "gaps-unread" ? [] : missing(rows, from, end);
  if (onTheirWay.length > 0) {
    const found = yield* readTogether(...onTheirWay.map(eventKey));
    rows.push(...found.filter((row) => row !== undefined));
  }
  return rows;
}

/** Numbers without a row that belong to the write of one that is there, or that are the last ones. */
function missing(rows, from, end) {
  const there = new Set(rows.map(({ seq }) => seq));
  const last = Math.max(from - 1, ...there);
  const numbers = new Set();
  for (const row of rows) {
    if (row.tombstone) continue;
    for (let number = row.seq - (row.index ?? 0); number <= lastOfWrite(row); number++) numbers.add(number);
  }
  for (let number = Math.max(last + 1, end - transactionRows); number < end; number++) numbers.add(number);
  return [...numbers].filter((number) => number >= from && number < end && !there.has(number));
}

/** Removes expired tombstones and the commit records that expired along, up to the first that has not. */
function* sweep(world, mark, life, fault) {
  const expired = [];
  let swept = { ...mark, tombsFrom: mark.rowsFrom };
  for (let number = mark.tombsFrom; number < mark.rowsFrom; number++) {
    const row = yield* read(eventKey(number));
    if (row === undefined) continue;
    if (row.expiry > world.time && fault !== "sweep-early") {
      swept = { ...mark, tombsFrom: number, tombsDue: row.expiry };
      break;
    }
    expired.push(row);
  }
  if (!(yield* stillDeleted(mark, life, fault))) return swept;
  for (const row of expired) {
    const { seq, commitOf, writeId } = row;
    if (commitOf !== undefined)
      yield* sure(write({ key: commitKey(commitOf), when: isRecordOf(writeId, fault), to: () => undefined }));
    yield* sure(write({ key: eventKey(seq), when: isStill(row), to: () => undefined }));
  }
  return swept;
}
