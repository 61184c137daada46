import { eventKey, tombstoneLife } from "../layout.mjs";
import { lost, write } from "../world.mjs";
import { sweepOne } from "./deleting.mjs";
import {
  compactedEvents,
  declaredLast,
  isSnapshot,
  isStill,
  mergedItems,
  tombstoneOf,
  topPlace,
} from "./layout.mjs";
import { isEvents, listItems } from "./reading.mjs";

/**
 * Merges some items that follow each other into the first of them, beside live writers and readers: one transaction, which is
 * refused if one of them has changed since it was read. The others leave tombstones: their keys stay taken as long as a writer may
 * trust its view, and a writer whose answer was lost finds its write id there. Staged items stay as they are.
 */
export function* compact(options) {
  const { world, fault } = options;
  const listed = yield* listItems(options, { from: 1, to: topPlace - 1 });
  const items = [];
  for (const { key, item } of listed) {
    if (isSnapshot(key)) continue;
    if (item.tombstone) yield* sweepOne(world, item, fault);
    else if (isWithinWrite(item) && fault !== "compact-within-write") items.push(undefined);
    else if (!item.staged || fault === "compact-staged") items.push(item);
    else if (yield* isEvents({ key, item }, options)) items.push(undefined);
  }
  const run = runFrom(items, world.below(items.length));
  if (run.length < 2) return;
  const expiry = world.time + tombstoneLife;
  const merged = mergedOf(run);
  const request = write(
    ...run.map((item, at) => ({
      key: eventKey(item.seq),
      when: conditionOf(item, fault),
      to: () => (at === 0 ? merged : leftOf(item, run[0], expiry, fault)),
    })),
  );
  for (let attempt = 0; attempt < 3; attempt++) if ((yield request) !== lost) return;
}

/**
 * Whether an item ends within a write: the rest of the write is in the next item, which may not be visible yet. Merged, it would leave a
 * tombstone that ends there, and a reader that reads the tombstone before the merged item would return a part of the write.
 */
function isWithinWrite(item) {
  return !item.staged && declaredLast(item) > item.last;
}

/** Items from one on, as far as each begins where the one before it ends, and all fit into one. */
function runFrom(items, start) {
  const run = [];
  let events = 0;
  for (const item of items.slice(start, start + mergedItems)) {
    if (item === undefined || (run.length > 0 && item.seq !== run.at(-1).last + 1)) break;
    events += item.rows.length;
    if (events > compactedEvents) break;
    run.push(item);
  }
  return run;
}

/** It keeps key and write id of the first, and every event its own write and place in it. */
function mergedOf(run) {
  const [first] = run;
  return { ...first, last: run.at(-1).last, rows: run.flatMap(({ rows }) => rows) };
}

function conditionOf(item, fault) {
  if (fault === "compact-any-item") return undefined;
  return fault === "compact-by-write-id" ? (now) => now?.writeId === item.writeId : isStill(item);
}

function leftOf(item, first, expiry, fault) {
  if (fault === "compact-without-tombstones") return undefined;
  const left = tombstoneOf(item, expiry, fault === "tombstone-without-into" ? {} : { into: first.seq });
  return fault === "tombstone-of-merger" ? { ...left, writeId: first.writeId } : left;
}
