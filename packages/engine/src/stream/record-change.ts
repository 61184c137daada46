import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database.ts";
import type { Change } from "../write/apply-change.ts";
import type { WriteTransaction } from "../write/write-queue.ts";
import { changeText } from "./change-record.ts";
import { changeKey, streamCountKey } from "./stream-keys.ts";

/** Adds a change record to the table's stream, if it has one. Called only where something changed. */
export function recordChange(
  database: Database,
  transaction: WriteTransaction,
  table: TableModel,
  change: Change,
): void {
  const { stream } = table;
  if (stream === undefined) return;
  const countKey = streamCountKey(stream.id);
  const count = Number(transaction.get(countKey) ?? 0) + 1;
  transaction.put(countKey, String(count));
  transaction.put(
    changeKey(stream.id, count),
    changeText(table, stream.viewType, change, database.clock.now()),
  );
}
