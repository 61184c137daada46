import { backoffMs, newWriteId } from "@tablekeep/client";
import { type CallOptions, type Item, isAmbiguous, sleep, type TransactWriteItem } from "@tablekeep/core";
import { ProjectionError } from "../projection-error.ts";
import {
  decodeSlice,
  type ProjectionVersion,
  projectionKey,
  type SliceCursor,
  type SlicePosition,
} from "../store/projection-items.ts";
import type { ItemUpdate, ProjectionStore } from "../store/projection-store.ts";

/** A change to a position by somebody other than its runner. */
export interface SliceChange {
  /** Where to continue. @default where it is */
  readonly to?: SliceCursor;
  /** Leaves the event that stopped the slice. @default false */
  readonly keepFailed?: boolean;
  /** Changes to other items, in the same transaction. @default none */
  readonly also?: readonly TransactWriteItem[];
}

/**
 * Returns the change to a position; undefined to leave it unchanged. `inDoubt` is the error of an earlier attempt that may have been applied
 * before another call changed the slice.
 */
export type ChangeOfSlice = (
  position: SlicePosition,
  inDoubt: unknown,
) => SliceChange | undefined | Promise<SliceChange | undefined>;

const maxAttempts = 20;

/**
 * Changes positions from outside, all or none: raises their epochs, so that the runners that had the slices can no longer move them, and frees
 * the slices. Returns whether something was changed. Throws `PROJECTION_CHANGE_CONTENDED` if others changed them too often meanwhile.
 */
export async function changeSlices(
  store: ProjectionStore,
  version: ProjectionVersion,
  slices: readonly number[],
  change: ChangeOfSlice,
  options: CallOptions,
): Promise<boolean> {
  const id = newWriteId();
  let doubt: unknown;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const seen = await readSlices(store, version, slices, options);
    // The response was lost. Claims of slices leave this attribute unchanged.
    if (seen.some((item) => item["changed_by"]?.S === id)) return true;
    const changes: SliceUpdate[] = [];
    for (const item of seen) {
      const position = decodeSlice(item);
      const wanted = await change(position, doubt);
      if (wanted !== undefined) changes.push({ position, change: wanted });
    }
    if (changes.length === 0) return false;
    try {
      if (await write(store, version, changes, id, options)) return true;
    } catch (error) {
      if (!isAmbiguous(error)) throw error;
      doubt = error;
    }
    await makeWay(store, version, changes, attempt, options);
  }
  const { name } = version;
  const message = `other processes kept changing projection ${name} (try again)`;
  throw new ProjectionError("PROJECTION_CHANGE_CONTENDED", message, { name, version: version.version });
}

interface SliceUpdate {
  readonly position: SlicePosition;
  readonly change: SliceChange;
}

async function readSlices(
  store: ProjectionStore,
  version: ProjectionVersion,
  slices: readonly number[],
  options: CallOptions,
): Promise<Item[]> {
  const items = await Promise.all(
    slices.map((slice) => store.get(projectionKey.slice(version, slice), options)),
  );
  return items.filter((item) => item !== undefined);
}

/** Returns whether the changes were written; they were not if a slice has another epoch. */
async function write(
  store: ProjectionStore,
  version: ProjectionVersion,
  changes: readonly SliceUpdate[],
  id: string,
  options: CallOptions,
): Promise<boolean> {
  const updates = changes.map((each) => updateOf(version, each, id));
  const also = changes.flatMap(({ change }) => change.also ?? []);
  const [only] = updates;
  if (only !== undefined && updates.length === 1 && also.length === 0)
    return (await store.update(only, options)) !== undefined;
  return store.transact([...updates.map((update) => store.action(update)), ...also], options);
}

function updateOf(
  version: ProjectionVersion,
  { position: { slice, epoch }, change: { to, keepFailed = false } }: SliceUpdate,
  id: string,
): ItemUpdate {
  const by = to?.by;
  const moves =
    to === undefined
      ? ""
      : `, #offset = :to, #page = :page, #skip = :skip${by === undefined ? "" : ", #by = :by"}`;
  const unnamed = to !== undefined && by === undefined ? ", #by" : "";
  return {
    key: projectionKey.slice(version, slice),
    update: `SET #epoch = :next, changed_by = :id${moves} REMOVE #owner${unnamed}${keepFailed ? "" : ", #failed, #error"}`,
    condition: "#epoch = :epoch",
    names: {
      "#epoch": "epoch",
      "#owner": "owner",
      ...(!keepFailed && { "#failed": "failed", "#error": "error" }),
      ...(to && { "#offset": "offset", "#page": "page", "#skip": "skip", "#by": "page_by" }),
    },
    values: {
      ":epoch": { N: String(epoch) },
      ":next": { N: String(epoch + 1) },
      ":id": { S: id },
      ...(to && {
        ":to": { N: String(to.offset) },
        ":page": { N: String(to.page) },
        ":skip": { N: String(to.skip) },
      }),
      ...(by !== undefined && { ":by": { S: by } }),
    },
  };
}

/** After a failed attempt: a transaction has a chance once no runner writes to the slices, so they are freed one by one. */
async function makeWay(
  store: ProjectionStore,
  version: ProjectionVersion,
  changes: readonly SliceUpdate[],
  attempt: number,
  options: CallOptions,
): Promise<void> {
  const { clock, random } = store.context;
  if (attempt > 0) await sleep(clock, backoffMs(Math.min(attempt, 6), random), options.signal);
  if (changes.length === 1 && changes[0]?.change.also === undefined) return;
  const freeing = changes.map(async ({ position: { slice } }) => {
    const key = projectionKey.slice(version, slice);
    const epoch = (await store.get(key, options))?.["epoch"] ?? { N: "0" };
    await store.update(
      {
        key,
        update: "SET #epoch = :next REMOVE #owner",
        condition: "#epoch = :epoch",
        names: { "#epoch": "epoch", "#owner": "owner" },
        values: { ":epoch": epoch, ":next": { N: String(Number(epoch.N) + 1) } },
      },
      options,
    );
  });
  for (const freed of await Promise.allSettled(freeing))
    if (freed.status === "rejected" && !isAmbiguous(freed.reason)) throw freed.reason;
}
