import { bucketOf, bucketSize, eventKey, lowMarkKey, shards } from "./layout.mjs";

/**
 * The highest number as the original finds it: the last row of the bucket that the high mark names, whatever that row is; only
 * where the bucket is empty the low mark.
 */
export function originalHighest(items) {
  const start = highestMark(items, "SH");
  const first = bucketOf(start) * bucketSize;
  for (let number = first + bucketSize - 1; number >= first; number--) {
    if (items.has(eventKey(number))) return number;
  }
  return Math.max(start, highestMark(items, "SL") - 1);
}

/**
 * The items after the original has deleted everything up to the highest number that it finds: it raises the low mark, and
 * removes the rows from the low mark before that one on. It never searches for rows below.
 */
export function deletedByOriginal(items) {
  const left = new Map(items);
  const to = originalHighest(items);
  const lowest = highestMark(items, "SL");
  if (to + 1 <= lowest) return left;
  left.set(lowMarkKey(to + 1), { seq: to + 1 });
  for (let number = lowest; number <= to; number++) left.delete(eventKey(number));
  return left;
}

function highestMark(items, kind) {
  let highest = 0;
  for (let shard = 0; shard < shards; shard++)
    highest = Math.max(highest, items.get(`${kind}${shard}`)?.seq ?? 0);
  return highest;
}
