import { writerKey } from "../layout.mjs";
import { sure, write } from "../world.mjs";
import { deleteTo } from "./deleting.mjs";
import { isSnapshot } from "./layout.mjs";
import { listItems } from "./reading.mjs";

/**
 * Removes everything of an id. All its events count as deleted first; the writer item, which says so, goes last. `marked` is called
 * once it says so; `ended` at the moment in which it goes: the id has a new life from then on.
 */
export function* purge(options, { marked, ended }) {
  const { fault } = options;
  yield* deleteTo(options, Number.POSITIVE_INFINITY, { dropsItems: false });
  marked();
  if (fault === "writer-first") yield* remove(writerKey);
  for (;;) {
    const listed = yield* listItems(options);
    const keys = listed.map(({ key }) => key).filter((key) => key !== writerKey);
    if (keys.length === 0) break;
    // A state without events is whole as long as its snapshot is there.
    const kept = fault === "purge-keeps-snapshots" ? isSnapshot : () => false;
    for (const key of keys.filter((one) => !kept(one))) yield* remove(key);
    if (fault === "purge-keeps-snapshots" || fault === "purge-once") break;
  }
  yield* sure(write({ key: writerKey, to: (item) => void (item && ended()) }));
}

function remove(key) {
  return sure(write({ key, to: () => undefined }));
}
