import { commitKey, eventKey, lowMarkKey, tombstoneLife, transactionRows, writerKey } from "./layout.mjs";
import { lastOfWrite, readPosition } from "./reading.mjs";
import { read, readTogether, sure, write } from "./world.mjs";

/** Deletes up to a number: the low mark first, then the rows. The mark remembers what is left to do. */
export function* deleteTo(world, asked, options) {
  const { shared, fault } = options;
  for (;;) {
    const { highest, low } = yield* readPosition(options);
    const to = Math.min(asked, highest);
    if (to < 1 || to < low.seq) return yield* dropDeleted(world, low, options);
    const raised = { ...low, seq: to + 1, ...(fault === "forget-rows" && { rowsFrom: low.seq || 1 }) };
    if (fault === "mark-last") yield* dropRows(world, raised, options);
    if (shared) yield* raiseGuard(raised.seq);
    const answer = yield write({
      key: lowMarkKey(raised.seq),
      when: (mark) => mark === undefined || mark.seq < raised.seq,
      to: () => raised,
    });
    if (answer.ok) return yield* dropDeleted(world, raised, options);
  }
}

/** What appends check where deletes leave no tombstones. In one place: low marks are spread over shards. */
function raiseGuard(low) {
  return sure(
    write({ key: writerKey, when: (item) => (item?.low ?? 0) < low, to: (item) => ({ ...item, low }) }),
  );
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

/**
 * Where the original shares the table: rows go, as it removes them itself. It finds the highest number by the last row of a
 * bucket, and only in an empty one by the low mark: the last row of each bucket goes when all others are gone.
 */
function* removeRows(world, { rowsFrom, seq }, { fault }) {
  const rows = yield* rowsBelow(rowsFrom, seq, fault);
  rows.sort((one, other) => (fault === "last-row-first" ? other.seq - one.seq : one.seq - other.seq));
  for (const row of rows) {
    yield* keepRecord(world, row, fault);
    yield* sure(write({ key: eventKey(row.seq), when: isStill(row), to: () => undefined }));
  }
}

/** Rows become tombstones, each on its own. */
function* dropRows(world, { rowsFrom, seq }, { fault }) {
  for (const row of yield* rowsBelow(rowsFrom, seq, fault)) {
    if (row.tombstone) continue;
    const { seq: number, writeId } = row;
    const commitOf = yield* keepRecord(world, row, fault);
    const expiry = world.time + tombstoneLife;
    const tombstone =
      fault === "no-tombstone" ? undefined : { seq: number, tombstone: true, writeId, expiry, commitOf };
    yield* sure(write({ key: eventKey(number), when: isStill(row), to: () => tombstone }));
  }
}

/** A delete takes the row that it has read, and nothing that came in its place. */
function isStill({ writeId }) {
  return (now) => now?.writeId === writeId;
}

/** The commit record of a batch expires with the last of its rows. Gives the first number of the batch. */
function* keepRecord(world, { seq, writeId, index, lastIndex, staged }, fault) {
  if (!staged || index !== lastIndex) return undefined;
  const expiry = world.time + tombstoneLife;
  const record = fault === "drop-commit-record" ? undefined : { writeId, last: seq, expiry };
  yield* sure(write({ key: commitKey(seq - index), to: () => record }));
  return seq - index;
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
  for (let number = mark.tombsFrom; number < mark.rowsFrom; number++) {
    const row = yield* read(eventKey(number));
    if (row === undefined) continue;
    if (row.expiry > world.time && fault !== "sweep-early")
      return { ...mark, tombsFrom: number, tombsDue: row.expiry };
    if (row.commitOf !== undefined) yield* sure(write({ key: commitKey(row.commitOf), to: () => undefined }));
    yield* sure(write({ key: eventKey(number), to: () => undefined }));
  }
  return { ...mark, tombsFrom: mark.rowsFrom };
}
