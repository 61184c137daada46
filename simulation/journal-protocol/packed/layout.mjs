import { eventKey, snapshotKey, writerKey } from "../layout.mjs";

/** The packed layout, scaled down: everything of an id lies in one partition, sorted by place. */

/** Events that fit into one item when it is written, and when items are compacted. */
const itemEvents = 3;
export const compactedEvents = 5;
/** Items of events that fit into one transaction. */
export const transactionItems = 2;
/** Items that one compaction merges at most. */
export const mergedItems = 4;
/** Items of the page with which a replay begins. */
export const firstPage = 6;

/** Where the writer item lies: above everything else. */
export const topPlace = 1e6;
export const bottomPlace = -1e6;
/** Half of the smallest distance between two places. */
export const beside = 0.25;

/** The place of a key: commit records below 0, events at their first number, a snapshot right above its last event. */
export function placeOf(key) {
  if (!places.has(key)) places.set(key, computePlace(key));
  return places.get(key);
}

const places = new Map([[writerKey, topPlace]]);

function computePlace(key) {
  const number = Number(key.slice(1));
  if (key.startsWith(eventKey(""))) return number;
  return key.startsWith(snapshotKey("")) ? number + 0.5 : -number;
}

export function isSnapshot(key) {
  return key.startsWith(snapshotKey(""));
}

/**
 * The items of an atomic write. Each holds several events under its first number; `index` and `lastIndex` are the place of its
 * first event in the whole write.
 */
export function itemsOf(world, { writeId, origin, first, count, uuid }) {
  const items = [];
  for (let index = 0; index < count; ) {
    const left = count - index;
    const size = Math.min(left, count <= itemEvents ? count : 1 + world.below(itemEvents));
    const rows = Array.from({ length: size }, (_unused, at) => ({
      seq: first + index + at,
      writeId,
      origin,
      uuid,
      ...(count > 1 && { index: index + at, lastIndex: count - 1 }),
    }));
    const seq = first + index;
    items.push({ seq, last: seq + size - 1, writeId, uuid, index, lastIndex: count - 1, rows });
    index += size;
  }
  return items;
}

/** The last number of the atomic write whose event an item ends with. */
export function declaredLast({ last, rows }) {
  const { seq, index = 0, lastIndex = 0 } = rows.at(-1);
  return Math.max(last, seq - index + lastIndex);
}

/** Whether an item is still the one that was read: its write id and its checksum. */
export function isStill(item) {
  return (now) =>
    now !== undefined &&
    ["writeId", "tombstone", "staged", "last", "into"].every((name) => now[name] === item[name]) &&
    now.rows?.length === item.rows?.length;
}

/** What is left of an item that was deleted or merged into another: its numbers stay taken. */
export function tombstoneOf({ seq, last, writeId }, expiry, more) {
  return { seq, last, tombstone: true, writeId, expiry, ...more };
}
