import { CountChange } from "../catalog/counts.ts";
import { indexKey } from "../catalog/storage-keys.ts";
import { type IndexModel, type TableModel, type TableRecord, tableModel } from "../catalog/table-model.ts";
import type { Database } from "../database.ts";
import { StoredItem } from "../item/stored-item.ts";
import { indexEntry } from "../secondary-index/index-entries.ts";
import type { WriteTransaction } from "../write/write-queue.ts";
import { eachItem } from "./each-item.ts";
import type { FillIndexJob } from "./job.ts";

/** Enters some items into a new index. Undefined once all are in it, or once it is gone. */
export function fillIndex(
  database: Database,
  transaction: WriteTransaction,
  job: FillIndexJob,
): FillIndexJob | undefined {
  const record = database.catalog.latest(transaction, job.tableName);
  const table = record && tableModel(record);
  const index = table?.indexes.find(({ id }) => id === job.indexId);
  if (record === undefined || table === undefined || index === undefined) return undefined;
  const counts = new CountChange(table.id);
  const cursor = eachItem(database, transaction, table, job.cursor, (text) => {
    enter(transaction, table, index, new StoredItem(text), counts);
  });
  counts.store(transaction);
  if (cursor !== undefined) return { ...job, cursor };
  database.catalog.put(transaction, withActiveIndex(record, index.name));
  return undefined;
}

function enter(
  transaction: WriteTransaction,
  table: TableModel,
  index: IndexModel,
  stored: StoredItem,
  counts: CountChange,
): void {
  // Items whose key cannot be one of the index stay out of it.
  const key = indexKey(table, index, stored.item);
  // A write since the index was made has entered its item already.
  if (key === undefined || transaction.get(key) !== undefined) return;
  const entry = indexEntry(index, stored);
  transaction.put(key, entry.text);
  counts.replace(index.id, undefined, entry);
}

function withActiveIndex(record: TableRecord, name: string): TableRecord {
  const indexes = record.description.GlobalSecondaryIndexes?.map((index) => {
    if (index.IndexName !== name) return index;
    const { Backfilling: _, ...rest } = index;
    return { ...rest, IndexStatus: "ACTIVE" as const };
  });
  return { ...record, description: { ...record.description, GlobalSecondaryIndexes: indexes } };
}
