import type { TableFacts } from "./table-facts.ts";
import { makeUndoable } from "./table-undo.ts";
import { changeTable, type TableChange } from "./tables-api.ts";

/** Changes the settings of a table. `what` follows the word “Undo”. */
export async function sendChange(
  { name: table, undo }: TableFacts,
  change: TableChange,
  what: string,
): Promise<void> {
  if (undo === true) await makeUndoable({ table, what }, (id) => changeTable(table, change, id));
  else await changeTable(table, change);
}
