import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database.ts";
import type { Change } from "../write/apply-change.ts";
import type { WriteTransaction } from "../write/write-queue.ts";

/** Adds a change record to the table's stream, if it has one. */
export function recordChange(
  _database: Database,
  _transaction: WriteTransaction,
  table: TableModel,
  _change: Change,
): void {
  if (!table.record.description.StreamSpecification?.StreamEnabled) return;
}
