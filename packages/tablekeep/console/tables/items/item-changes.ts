import { ApiError } from "../../api/call-api.ts";
import { tellFailure, tellSuccess } from "../../shell/toasts.tsx";
import type { WireItem } from "../api/table-facts.ts";
import { remember } from "../api/table-undo.ts";
import { changeItem } from "../api/tables-api.ts";

/** A change to an item that was made on this page. */
export interface ItemEdit {
  readonly table: string;
  /** Null if there was none. */
  readonly from: WireItem | null;
  /** Null if it was deleted. */
  readonly to: WireItem | null;
}

/** The result of a change: applied, not applied because the item has changed since it was shown, or failed. */
export type ChangeOutcome = "applied" | "conflict" | "failed";

/** Changes an item if it has not changed since it was shown, and remembers the change. */
export async function applyChange(change: ItemEdit): Promise<ChangeOutcome> {
  const { table, from, to } = change;
  try {
    await changeItem(change);
  } catch (error) {
    tellFailure(error);
    return error instanceof ApiError && error.status === 409 ? "conflict" : "failed";
  }
  remember({
    table,
    what: "",
    async undo() {
      await changeItem({ table, from: to, to: from });
      return 0;
    },
  });
  tellSuccess(to === null ? "Deleted" : from === null ? "Created" : "Saved");
  return "applied";
}
