import { bucketOf, bucketSize, eventKey, highMarkKey } from "./layout.mjs";
import { originalHighest } from "./original.mjs";

/** Rows of a request of the original's. Its real ones have 25. */
const requestRows = 2;

/**
 * What the original plugin leaves of an id before it is taken over: single events, batches, and parts of batches whose
 * requests failed. After a failure it continues above the last row in the bucket of its high mark, which may be
 * inside the numbers of the batch that failed. Returns the writes that it acknowledged, and those that failed.
 */
export function originalHistory(world) {
  const acknowledged = [];
  const failed = [];
  let next = 1;
  let uuid = world.newId("u");
  for (let writes = world.below(6); writes > 0; writes--) {
    const count = world.pick([1, 1, 2, 3, 4, 5]);
    const write = { originalId: world.newId("o"), first: next, last: next + count - 1 };
    const isWhole = put(world, write, uuid);
    (isWhole ? acknowledged : failed).push(write);
    world.say(
      "original:",
      write.originalId,
      `${write.first} to ${write.last}`,
      isWhole ? "written" : "failed",
    );
    next = write.last + 1;
    if (isWhole && world.chance(0.8)) continue;
    next = originalHighest(world.items) + 1;
    uuid = world.newId("u");
  }
  return {
    acknowledged: acknowledged.filter((write) => lastMissing(world, write) === 0),
    failed: failed.map((write) => ({ ...write, lastMissing: lastMissing(world, write) })),
  };
}

/** The last number of a write that has no row of it; 0 if none is missing. */
function lastMissing(world, { originalId, first, last }) {
  for (let number = last; number >= first; number--)
    if (world.items.get(eventKey(number))?.originalId !== originalId) return number;
  return 0;
}

/** Puts a write request by request, each of which may fail; false if one did. The mark comes with the last. */
function put(world, { originalId, first, last }, uuid) {
  const count = last - first + 1;
  const mark = bucketOf(first - 1) === bucketOf(last) ? [] : [bucketOf(last) * bucketSize];
  let isWhole = true;
  for (let from = first; from <= last; from += requestRows) {
    if (count > 1 && world.chance(0.3)) {
      isWhole = false;
      continue;
    }
    for (let seq = from; seq < Math.min(from + requestRows, last + 1); seq++) {
      const place = count > 1 ? { index: seq - first, lastIndex: count - 1 } : {};
      world.items.set(eventKey(seq), { seq, originalId, uuid, ...place });
      if (mark.length > 0) world.items.set(highMarkKey(last), { seq: mark[0] });
    }
  }
  return isWhole;
}
