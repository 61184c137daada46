import { ApiError } from "../api/call-api.ts";
import { createStore, type Store } from "../shell/store.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import type { WireItem } from "./table-facts.ts";
import { changeItem } from "./tables-api.ts";

/** A change to an item that was made on this page. */
export interface ItemEdit {
  readonly table: string;
  /** Null if there was none. */
  readonly from: WireItem | null;
  /** Null if it was deleted. */
  readonly to: WireItem | null;
}

/** Changes that can be undone; older ones are dropped. */
const maxChanges = 50;

/** The changes of this page that can be undone, the newest last. */
export const itemChanges: Store<readonly ItemEdit[]> = createStore<readonly ItemEdit[]>([]);

/** What became of a change: applied, not applied because the item is not as it was shown, or failed. */
export type ChangeOutcome = "applied" | "conflict" | "failed";

/** Changes an item if it is still as it was shown, and remembers the change. */
export async function applyChange(change: ItemEdit): Promise<ChangeOutcome> {
  try {
    await changeItem(change);
  } catch (error) {
    tellFailure(error);
    return error instanceof ApiError && error.status === 409 ? "conflict" : "failed";
  }
  itemChanges.set([...itemChanges.get(), change].slice(-maxChanges));
  tellSuccess(change.to === null ? "Deleted" : change.from === null ? "Created" : "Saved");
  return "applied";
}

/** Undoes the last change to a table, unless the item was changed since. Returns whether it was undone. */
export async function undoLast(table: string): Promise<boolean> {
  const change = itemChanges.get().findLast((each) => each.table === table);
  if (change === undefined) return false;
  try {
    await changeItem({ table, from: change.to, to: change.from });
  } catch (error) {
    tellFailure(error);
    return false;
  }
  itemChanges.set(itemChanges.get().filter((each) => each !== change));
  tellSuccess("Undone");
  return true;
}
