import { bucketOf, bucketSize, eventKey, shards } from "./layout.mjs";

/**
 * The highest number as the original finds it: the last row of the bucket that the high mark names, whatever that row is; only
 * where the bucket is empty the low mark.
 */
export function originalHighest(items) {
  const highestMark = (kind) => {
    const marks = Array.from({ length: shards }, (_unused, shard) => items.get(`${kind}${shard}`)?.seq ?? 0);
    return Math.max(...marks);
  };
  const start = highestMark("SH");
  const first = bucketOf(start) * bucketSize;
  for (let number = first + bucketSize - 1; number >= first; number--) {
    if (items.has(eventKey(number))) return number;
  }
  return Math.max(start, highestMark("SL") - 1);
}
