import { deleteTo } from "./deleting.mjs";
import { snapshotKey } from "./layout.mjs";
import { purge } from "./purging.mjs";
import { replay } from "./reading.mjs";
import { recover } from "./recovering.mjs";
import { list, sure, write } from "./world.mjs";

/**
 * A state here is the list of its events: each number with the write that it is of. Loads it from the newest snapshot and
 * the events after it. `bounds` reads those; they are asked for after the snapshot, whose events are stored before it. Returns
 * the state, or why there is none.
 */
function* load(bounds, { fault }) {
  for (;;) {
    const early = fault === "bounds-first" ? yield* bounds() : undefined;
    let snapshot = yield* newest();
    const found = early ?? (yield* bounds());
    const { rows, highest, lowest } = found;
    const isCovered = () => lowest <= (snapshot?.seq ?? 0) + 1;
    if (!isCovered()) {
      // A snapshot saved since the first read may replace events that were deleted since. Its events may be newer than the bounds.
      snapshot = yield* newest();
      if (!isCovered()) return { ...found, refused: "history deleted" };
      if (fault !== "late-snapshot") continue;
    }
    const number = snapshot?.seq ?? 0;
    if (highest < number && fault !== "snapshot-ahead") return { ...found, refused: "snapshot ahead" };
    const after = rows.filter(({ seq }) => seq > number);
    const events = after.map((row) => [row.seq, row.writeId ?? row.originalId]);
    return { ...found, state: new Map([...(snapshot?.state ?? []), ...events]) };
  }
}

/** Takes an entity over. */
export function* loadEntity(me, options) {
  const takeOver = function* () {
    const rows = yield* recover(me, options);
    return { rows, highest: me.next - 1, lowest: me.lowest };
  };
  return yield* load(takeOver, options);
}

/** The state as a reader that is not the writer sees it. */
export function* readState(options) {
  return yield* load(() => replay(options), options);
}

/** Saves the state of an entity at the number of its last event. */
export function* saveSnapshot({ next, state }) {
  const seq = next - 1;
  if (seq > 0) yield* sure(write({ key: snapshotKey(seq), to: () => ({ seq, state: new Map(state) }) }));
}

/** Keeps the newest snapshot, and deletes the events that even the oldest contains. */
export function* deleteCovered(world, options) {
  const snapshots = yield* list(snapshotKey(""));
  yield* removeSnapshots(snapshots.slice(0, -1));
  const [oldest] = yield* list(snapshotKey(""));
  if (oldest !== undefined) yield* deleteTo(world, oldest.seq, options);
}

/** Removes an entity: its snapshots, then its journal. */
export function* forget(world, options, moments) {
  if (options.fault === "journal-first") yield* purge(world, options, moments);
  yield* removeSnapshotsAbove(0);
  yield* purge(world, options, moments);
}

/** What to do about snapshots that are ahead of their journal. */
export function* removeSnapshotsAbove(highest) {
  const snapshots = yield* list(snapshotKey(""));
  yield* removeSnapshots(snapshots.filter(({ seq }) => seq > highest));
}

function* removeSnapshots(snapshots) {
  for (const { seq } of snapshots) yield* sure(write({ key: snapshotKey(seq), to: () => undefined }));
}

function* newest() {
  return (yield* list(snapshotKey(""))).at(-1);
}
