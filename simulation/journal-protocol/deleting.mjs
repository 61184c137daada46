import { commitKey, eventKey, lowMarkKey, tombstoneLife, transactionRows, writerKey } from "./layout.mjs";
import { lastOfWrite, readMarks, readPosition } from "./reading.mjs";
import { read, readTogether, sure, write } from "./world.mjs";

/**
 * Deletes up to a number: the low mark first, then the rows. The mark remembers what is left to do. The id may be purged and
 * begin a new life between any two requests: the mark is raised only while the last row to delete, which is read before
 * anything else, still stands there. Where it does not, what was to be deleted is gone.
 * The model is ahead of packages/journal here, which raises the mark without that condition.
 */
export function* deleteTo(world, asked, options, { dropsRows = true } = {}) {
  const { shared, fault } = options;
  const drop = (mark) => (dropsRows ? dropDeleted(world, mark, options) : []);
  let to = asked;
  let last;
  let looked = false;
  for (;;) {
    if (last === undefined && to >= 1 && Number.isFinite(to)) last = yield* read(eventKey(to));
    const { highest, low } = yield* readPosition(options);
    if (highest < to) {
      // Highest numbers do not fall: this is another life.
      if (last !== undefined && fault !== "mark-any-life") return;
      to = highest;
      if (to >= low.seq) continue;
    }
    if (to < 1 || to < low.seq) return yield* drop(low);
    // It may be a hole of the original's, or the marks were read while a purge removed them.
    if (last === undefined && !looked) {
      looked = true;
      continue;
    }
    const raised = { ...low, seq: to + 1, ...(fault === "forget-rows" && { rowsFrom: low.seq || 1 }) };
    if (fault === "mark-last") yield* dropRows(world, raised, options);
    const answer = yield write(
      {
        key: lowMarkKey(raised.seq),
        when: (mark) => mark === undefined || mark.seq < raised.seq,
        to: () => raised,
      },
      shared && guard(raised.seq),
      fault !== "mark-any-life" && { key: eventKey(to), when: isStill(last), to: (row) => row },
    );
    if (answer.ok) return yield* drop(raised);
    if (answer.refused === eventKey(to) && last !== undefined) return;
  }
}

/** What appends check where deletes leave no tombstones. In one place: low marks are spread over shards. */
function guard(low) {
  return { key: writerKey, to: (item) => ({ ...item, low: Math.max(item?.low ?? 0, low) }) };
}

function* dropDeleted(world, mark, options) {
  const { shared, fault } = options;
  const isDue = mark.tombsDue <= world.time || fault === "sweep-early";
  const sweeps = mark.tombsFrom < mark.rowsFrom && isDue;
  if (mark.rowsFrom >= mark.seq && !sweeps) return;
  const swept = sweeps ? yield* sweep(world, mark, fault) : mark;
  yield* shared ? removeRows(world, mark, options) : dropRows(world, mark, options);
  const none = swept.tombsFrom >= mark.rowsFrom;
  const done = { ...swept, rowsFrom: mark.seq, tombsDue: none ? world.time + tombstoneLife : swept.tombsDue };
  yield write({ key: lowMarkKey(mark.seq), when: (now) => now?.seq === mark.seq, to: () => done });
}

/** Whether rows that were just read may be dropped: a mark that still stands says that they are of its life. */
function* stillDeleted({ seq }, fault) {
  return fault === "rows-of-any-life" || (yield* readMarks()).low.seq >= seq;
}

/**
 * Where the original shares the table: rows go, as it removes them itself. It finds the highest number by the last row of a
 * bucket, and only in an empty one by the low mark: the last row of each bucket goes when all others are gone.
 */
function* removeRows(world, mark, { fault }) {
  const rows = yield* rowsBelow(mark.rowsFrom, mark.seq, fault);
  if (!(yield* stillDeleted(mark, fault))) return;
  rows.sort((one, other) => (fault === "last-row-first" ? other.seq - one.seq : one.seq - other.seq));
  for (const row of rows) {
    yield* keepRecord(world, row, fault);
    yield* sure(write({ key: eventKey(row.seq), when: isStill(row), to: () => undefined }));
  }
}

/** Rows become tombstones, each on its own. */
function* dropRows(world, mark, { fault }) {
  const rows = yield* rowsBelow(mark.rowsFrom, mark.seq, fault);
  if (fault !== "mark-last" && !(yield* stillDeleted(mark, fault))) return;
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
}

/** A delete takes the row that it has read, and nothing that came in its place. */
function isStill(row) {
  return (now) => ["writeId", "originalId", "tombstone"].every((name) => now?.[name] === row?.[name]);
}

/** The commit record of a batch expires with the last of its rows. Gives the first number of the batch. */
function* keepRecord(world, { seq, writeId, index, lastIndex, staged }, fault) {
  if (!staged || index !== lastIndex) return undefined;
  const expiry = world.time + tombstoneLife;
  const record = fault === "drop-commit-record" ? undefined : { writeId, last: seq, expiry };
  yield* sure(write({ key: commitKey(seq - index), when: isRecordOf(writeId, fault), to: () => record }));
  return seq - index;
}

/** Another batch may have come in place of this one, with a record of the same key. */
function isRecordOf(writeId, fault) {
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
function* sweep(world, mark, fault) {
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
  if (!(yield* stillDeleted(mark, fault))) return swept;
  for (const row of expired) {
    const { seq, commitOf, writeId } = row;
    if (commitOf !== undefined)
      yield* sure(write({ key: commitKey(commitOf), when: isRecordOf(writeId, fault), to: () => undefined }));
    yield* sure(write({ key: eventKey(seq), when: isStill(row), to: () => undefined }));
  }
  return swept;
}
