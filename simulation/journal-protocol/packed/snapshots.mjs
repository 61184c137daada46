import { claimLife } from "../deleting.mjs";
import { snapshotKey, writerKey } from "../layout.mjs";
import { takeOver } from "../recovering.mjs";
import { sure, write } from "../world.mjs";
import { begin, finalPosition } from "./appending.mjs";
import { deleteTo } from "./deleting.mjs";
import { isSnapshot } from "./layout.mjs";
import { find, isEvents, isTrimmed, lastTaken, listItems, Query } from "./reading.mjs";

/** Reads of a load that find neither a snapshot nor the first event before the history counts as deleted. */
const looks = 3;

/**
 * Loads a state by one reverse read: the newest events, down to the newest snapshot. A state here is the list of its events: each number
 * with the write that it is of. Returns the state, or why there is none.
 */
export function* load(options) {
  for (let look = 1, before; ; ) {
    const found = yield* loadOnce(options);
    if (found === "trimmed") continue;
    if (found.refused === undefined) return found;
    // A snapshot saved since the read began may replace one that was removed, and events that were deleted.
    look = before?.highest === found.highest && before.low === found.low ? look + 1 : 1;
    if (look >= looks || options.fault === "history-read-once") return found;
    before = found;
  }
}

function* loadOnce(options) {
  const tail = yield* readTail(options);
  const { rows, low, snapshot, highest } = tail;
  const base = snapshot?.seq ?? 0;
  if (low > base + 1) return { rows: [], highest, low, lowest: low, refused: "history deleted" };
  if (base > highest) return { rows: [], highest, low, lowest: base + 1, refused: "snapshot ahead" };
  for (let number = base + 1; number <= highest; number++) {
    if (rows.has(number) || options.fault === "no-covering-item") continue;
    const item = yield* find(number, options);
    if (item === "trimmed" || isTrimmed(item.rows, number, options)) return "trimmed";
    for (const row of item.rows) rows.set(row.seq, row);
  }
  const after = [...rows.values()].filter(({ seq }) => seq > base && seq <= highest);
  after.sort((one, other) => one.seq - other.seq);
  const state = new Map([...(snapshot?.state ?? []), ...after.map(({ seq, writeId }) => [seq, writeId])]);
  return { rows: after, highest, low, lowest: base + 1, state };
}

/**
 * Reads from the top down to a snapshot whose next event has been read. A snapshot without events above it proves nothing: the item
 * below it may have been compacted, and reach above it.
 */
function* readTail(options) {
  const query = new Query(options, { reverse: true });
  const tail = { rows: new Map(), low: 1, highest: undefined, snapshot: undefined };
  for (let found = yield* query.next(); found !== undefined; found = yield* query.next()) {
    const { key, item } = found;
    if (key === writerKey) tail.low = item.mark?.seq ?? 1;
    else if (isSnapshot(key)) tail.snapshot ??= item;
    else {
      const isLive = yield* isEvents(found, options);
      if (isLive) for (const row of item.rows) tail.rows.set(row.seq, row);
      if (isLive || item.tombstone) tail.highest ??= Math.max(lastTaken(item, options), tail.low - 1);
    }
    if (isEnough(tail, options)) return tail;
  }
  tail.highest ??= tail.low - 1;
  return tail;
}

function isEnough(tail, { fault }) {
  const { rows, snapshot, highest } = tail;
  if (snapshot === undefined) return false;
  if (fault === "empty-tail") tail.highest ??= snapshot.seq;
  if (tail.highest === undefined) return false;
  return highest <= snapshot.seq || rows.has(snapshot.seq + 1) || fault === "empty-tail";
}

/** Takes an entity over. Under strict fencing nothing of an earlier writer may appear after the load. */
export function* loadEntity(me, options) {
  for (;;) {
    const epoch = yield* takeOver(options.strict);
    const viewedAt = me.world.time;
    const { highest } = options.strict ? yield* finalPosition(options) : {};
    const loaded = yield* load(options);
    // A writer without a state that another has superseded meanwhile, or written by without a fence.
    if (highest !== undefined && loaded.highest !== highest) continue;
    const { state = new Map(), highest: end } = loaded;
    const seen = [...state].map(([seq, writeId]) => ({ seq, writeId }));
    begin(me, { epoch, next: end + 1, viewedAt, lowest: loaded.lowest, seen });
    return loaded;
  }
}

/** Saves the state of an entity at the number of its last event. */
export function* saveSnapshot({ next, state }) {
  const seq = next - 1;
  if (seq > 0) yield* sure(write({ key: snapshotKey(seq), to: () => ({ seq, state: new Map(state) }) }));
}

/** Keeps the newest snapshot, and deletes the events that even the oldest contains. */
export function* deleteCovered(options) {
  const snapshots = yield* listSnapshots(options);
  for (const { seq } of options.fault === "newest-snapshot-goes" ? snapshots : snapshots.slice(0, -1))
    yield* sure(write({ key: snapshotKey(seq), to: () => undefined }));
  yield* deleteBelowOldest(options);
}

/** Deletes the events that even the oldest snapshot contains, of the life in which that was found. */
export function* deleteBelowOldest(options) {
  const life = options.fault === "life-read-late" ? undefined : yield* claimLife(options.world);
  const [oldest] = yield* listSnapshots(options);
  if (oldest !== undefined) yield* deleteTo(options, oldest.seq, { life });
}

function* listSnapshots(options) {
  const listed = yield* listItems(options, { from: 0 });
  return listed.filter(({ key }) => isSnapshot(key)).map(({ item }) => item);
}
