import { bucketOf, bucketSize, commitKey, eventKey, shards } from "./layout.mjs";
import { read, Violation } from "./world.mjs";

/** No event was deleted yet. */
const noLowMark = { seq: 0, rowsFrom: 1, tombsFrom: 1, tombsDue: 0 };

/** All marks: the highest high mark, and the highest low mark with what it remembers. Each is read on its own. */
export function* readMarks() {
  let high = 0;
  let low = noLowMark;
  for (let shard = 0; shard < shards; shard++) {
    high = Math.max(high, (yield* read(`SH${shard}`))?.seq ?? 0);
    const mark = yield* read(`SL${shard}`);
    if (mark !== undefined && mark.seq > low.seq) low = mark;
  }
  return { high, low };
}

/** A staged row is live exactly when the commit record of its batch names its write id. */
export function* isLive(row) {
  if (!row.staged || row.tombstone) return true;
  return (yield* read(commitKey(row.seq - row.index)))?.writeId === row.writeId;
}

/** The last number that counts in a bucket, 0 if none: of a batch its last. */
function* lastLive(bucket) {
  for (let number = (bucket + 1) * bucketSize - 1; number >= Math.max(1, bucket * bucketSize); number--) {
    const row = yield* read(eventKey(number));
    if (row === undefined || !(yield* isLive(row))) continue;
    return row.tombstone || row.lastIndex === undefined ? number : number - row.index + row.lastIndex;
  }
  return 0;
}

/** Where the id stands. When a number ends its bucket the next one is looked into: marks are only hints. */
export function* readPosition(fault) {
  const { high, low } = yield* readMarks();
  let bucket = bucketOf(high);
  let highest = Math.max(high, low.seq - 1);
  if (fault === "mark-only" && high > 0) return { highest, low };
  highest = Math.max(highest, yield* lastLive(bucket));
  while (bucketOf(highest + 1) > bucket) {
    bucket = bucketOf(highest + 1);
    const last = yield* lastLive(bucket);
    if (last <= highest) break;
    highest = last;
  }
  return { highest, low };
}

/** The rows from the low mark to the highest number, which is fixed before the first row is read. */
export function* replay(fault) {
  for (;;) {
    const { highest, low } = yield* readPosition(fault);
    const rows = [];
    let trimmed = false;
    for (let number = Math.max(1, low.seq); number <= highest && !trimmed; number++) {
      const row = yield* read(eventKey(number));
      if (row !== undefined && !row.tombstone && (yield* isLive(row))) {
        rows.push(row);
        continue;
      }
      const { low: now } = yield* readMarks();
      trimmed = now.seq > number;
      if (trimmed) continue;
      const found = row === undefined ? "nothing" : row.tombstone ? "a tombstone" : "a dead row";
      throw new Violation(`a replay of ${low.seq} to ${highest} finds ${found} at ${number}`);
    }
    if (!trimmed) return { rows, highest, lowest: Math.max(1, low.seq) };
  }
}
