import { bucketOf, bucketSize, commitKey, eventKey, shards, writerKey } from "./layout.mjs";
import { read, readTogether, Violation } from "./world.mjs";

/** No event was deleted yet. */
const noLowMark = { seq: 0, rowsFrom: 1, tombsFrom: 1, tombsDue: 0 };

/**
 * All marks: the highest high mark, whether we wrote it, and the highest low mark with what it remembers. `own` is the number of the one in the
 * writer item, which is ours; the others may be behind it, or of the original. Each is read on its own.
 */
export function* readMarks() {
  let high = 0;
  let low = noLowMark;
  let highIsOurs = false;
  for (let shard = 0; shard < shards; shard++) {
    const { seq = 0, ours = false } = (yield* read(`SH${shard}`)) ?? {};
    if (seq > high) highIsOurs = ours;
    high = Math.max(high, seq);
    const mark = yield* read(`SL${shard}`);
    if (mark !== undefined && mark.seq > low.seq) low = { ...noLowMark, ...mark };
  }
  const own = (yield* read(writerKey))?.mark;
  if (own !== undefined && own.seq >= low.seq) low = own;
  return { high, highIsOurs, low, own: own?.seq ?? 0 };
}

/** A staged row is live exactly when the commit record of its batch names its write id. */
function* isLive(row) {
  if (!row.staged || row.tombstone) return true;
  return (yield* read(commitKey(row.seq - row.index)))?.writeId === row.writeId;
}

/** What the writer item has staged and which write the commit record of a batch names, both as of one moment. */
export function* commitState(first, fault) {
  const keys = [writerKey, commitKey(first)];
  const [writer, record] =
    fault === "two-reads" ? [yield* read(keys[0]), yield* read(keys[1])] : yield* readTogether(...keys);
  return { staged: writer?.stage?.writeId, committed: record?.writeId };
}

/** The last number that counts in a bucket, 0 if none: of a batch its last. */
function* lastLive(bucket) {
  for (let number = (bucket + 1) * bucketSize - 1; number >= Math.max(1, bucket * bucketSize); number--) {
    const row = yield* read(eventKey(number));
    if (row === undefined || !(yield* isLive(row))) continue;
    return lastToCount(row);
  }
  return 0;
}

/** Up to which number a row says that numbers are taken. The original continues above the last row of a batch that failed. */
function lastToCount(row) {
  return row.tombstone || !isOurs(row) ? row.seq : lastOfWrite(row);
}

function isOurs(row) {
  return row?.writeId !== undefined;
}

/** The position of the id. When a sequence number ends its bucket the next one is read: marks are only hints. */
export function* readPosition({ fault, shared }) {
  const { high, highIsOurs, low, own } = yield* readMarks();
  const bucket = bucketOf(high);
  const highest = Math.max(high, low.seq - 1);
  if (fault === "mark-only" && high > 0) return { highest, high, low, own };
  let last = yield* lastLive(bucket);
  // A mark is written with the row that it names. If only the mark is visible, the last row of its write is unknown.
  if (last === 0 && high >= Math.max(1, low.seq) && fault !== "trust-lone-mark") {
    if (yield* isTaken(high)) last = yield* lastLive(bucket);
  }
  const found = yield* beyondFull(Math.max(highest, last), bucket);
  // Where deletes remove rows, an empty bucket may be one whose rows went since the marks were read.
  if ((last === 0 || found.endsEmpty) && shared && fault !== "trust-old-marks") {
    const marks = yield* readMarks();
    if (marks.high !== high || marks.low.seq !== low.seq) return yield* readPosition({ fault, shared });
  }
  // The original may lose an event and keep its mark. A mark of ours is written with its row, which is lost if it is not there.
  const endsInHole = last === 0 && high === found.highest && high >= Math.max(1, low.seq) && !highIsOurs;
  return { highest: found.highest, high, low, own, endsInHole };
}

/** Whether a number has a row that counts, even while it becomes visible. */
export function* isTaken(number) {
  const [row] = yield* readTogether(eventKey(number));
  if (row === undefined || !row.staged || row.tombstone) return row !== undefined;
  return (yield* commitState(row.seq - row.index)).committed === row.writeId;
}

/** The rows from the low mark to the highest number, which is fixed before the first row is read. */
export function* replay(options) {
  for (;;) {
    const { highest, high, low, endsInHole } = yield* readPosition(options);
    const rows = yield* rowsUpTo({ highest, low, endsInHole }, new Map(), options.fault);
    if (rows !== undefined) return { rows, highest, high, lowest: Math.max(1, low.seq), endsInHole };
  }
}

/**
 * The same with fewer requests: the first bucket is read along with the marks, and the last one holds the highest sequence number.
 * Their rows were read before that was known, and count as far as nothing is missing: rows never change.
 */
export function* replayAhead(options) {
  const { fault, shared } = options;
  // It treats removed rows as absent: where deletes remove rows, it is not used.
  if (shared) return yield* replay(options);
  for (;;) {
    const first = yield* readBucket(0);
    const { high, highIsOurs, low } = yield* readMarks();
    const last = bucketOf(high) === 0 ? first : yield* readBucket(bucketOf(high));
    const lowest = Math.max(1, low.seq);
    const atLeast = Math.max(high, low.seq - 1, lastOf(last));
    const { highest } = yield* beyondFull(atLeast, bucketOf(high));
    const begins = Math.max(lowest, bucketOf(high) * bucketSize);
    const known = new Map([
      ...(lowest < bucketSize ? unbroken(first, lowest, fault) : []),
      ...unbroken(last, begins, fault),
    ]);
    const endsInHole = high === highest && !highIsOurs;
    const rows = yield* rowsUpTo({ highest, low, endsInHole }, known, fault);
    if (rows !== undefined) return { rows, highest, lowest };
  }
}

/** The rows of a bucket, read one after the other: whatever is written meanwhile is seen in part. */
function* readBucket(bucket) {
  const rows = new Map();
  for (let number = Math.max(1, bucket * bucketSize); number < (bucket + 1) * bucketSize; number++) {
    const row = yield* read(eventKey(number));
    if (row !== undefined) rows.set(number, { ...row, live: yield* isLive(row) });
  }
  return rows;
}

/** The last number that counts among rows that were read; of a batch its last. */
function lastOf(rows) {
  const last = [...rows.values()].findLast(({ live }) => live);
  if (last === undefined) return 0;
  return lastToCount(last);
}

/** Rows that were read early, up to the first number that is missing. */
function unbroken(rows, from, fault) {
  const known = new Map();
  for (let number = from; bucketOf(number) === bucketOf(from); number++) {
    const row = rows.get(number);
    const counts = row !== undefined && !row.tombstone && !row.staged;
    if (!counts && fault !== "trust-early") break;
    known.set(number, counts ? row : "missing");
  }
  return known;
}

/** Where a number ends its bucket the next one is read. */
function* beyondFull(atLeast, from) {
  let highest = atLeast;
  let endsEmpty = false;
  for (let bucket = from; bucketOf(highest + 1) > bucket; ) {
    bucket = bucketOf(highest + 1);
    const last = yield* lastLive(bucket);
    endsEmpty = last === 0;
    if (last <= highest) break;
    highest = last;
  }
  return { highest, endsEmpty };
}

/** The rows from the low mark on; those that are known already are not read again. Undefined if they were deleted meanwhile. */
function* rowsUpTo({ highest, low, endsInHole }, known, fault) {
  const rows = [];
  for (let number = Math.max(1, low.seq); number <= highest; number++) {
    let row = known.get(number) ?? (yield* read(eventKey(number)));
    if (row === "missing") continue;
    let live = yield* isEvent(row);
    if (!live) {
      if ((yield* readMarks()).low.seq > number) return undefined;
      // What is missing may be on its way: it is searched for again.
      yield { wait: true };
      row = yield* read(eventKey(number));
      live = yield* isEvent(row);
    }
    if (!live) {
      const next = yield* nextEvent(number, highest);
      if ((yield* readMarks()).low.seq > number) return undefined;
      if (!row?.tombstone && isHoleOfOriginal(next, low, endsInHole, fault)) {
        number = (next?.seq ?? highest + 1) - 1;
        continue;
      }
      const found = row === undefined ? "nothing" : row.tombstone ? "a tombstone" : "a dead row";
      throw new Violation(`a replay of ${low.seq} to ${highest} finds ${found} at ${number}`);
    }
    const endsBeyond = lastOfWrite(row) > highest;
    if (isOurs(row)) {
      // Of a write that is on its way the mark may be visible, and end in the middle of it: it is returned whole or not at all.
      if (endsBeyond) break;
      rows.push(row);
      continue;
    }
    if (endsBeyond && fault === "trust-declared-end") break;
    if (endsBeyond) continue;
    if (fault === "half-batch-counts" || (yield* isWhole(row, low))) rows.push(row);
    // An apparent part of a batch may be what a delete has left.
    else if ((yield* readMarks()).low.seq > firstLive(row, low) && fault !== "trust-half-batch")
      return undefined;
  }
  return rows;
}

/** The first number of a row's write that is not deleted. */
function firstLive({ seq, index = 0 }, low) {
  return Math.max(1, low.seq, seq - index);
}

/** The next row that holds an event above a number. */
function* nextEvent(number, highest) {
  for (let at = number + 1; at <= highest; at++) {
    const row = yield* read(eventKey(at));
    if (yield* isEvent(row)) return row;
  }
  return undefined;
}

/**
 * Whether numbers without a row are the original's: it leaves holes. We leave none, and begin only above rows or above a high
 * mark of the original's; a row that does the latter says so.
 */
function isHoleOfOriginal(next, low, endsInHole, fault) {
  if (fault === "skip-any-hole") return true;
  if (next !== undefined && !isOurs(next)) return true;
  if (next === undefined) return endsInHole || fault === "any-mark-explains";
  if (firstLive(next, low) !== next.seq) return false;
  return fault === "hole-by-number" ? (next.seq - 1) % bucketSize === 0 : next.aboveHole === true;
}

/** Whether all rows of a batch of the original that are not deleted are there. */
function* isWhole(row, low) {
  for (let number = firstLive(row, low); number <= lastOfWrite(row); number++)
    if ((yield* read(eventKey(number)))?.originalId !== row.originalId) return false;
  return true;
}

/** The last number of the write that an event belongs to. */
export function lastOfWrite({ seq, index = 0, lastIndex = 0 }) {
  return seq - index + lastIndex;
}

function* isEvent(row) {
  return row !== undefined && !row.tombstone && (yield* isLive(row));
}
