import { CountChange } from "../catalog/counts.ts";
import { indexKey, regionOf } from "../catalog/storage-keys.ts";
import { type IndexModel, type TableModel, type TableRecord, tableModel } from "../catalog/table-model.ts";
import { expiryKey } from "../change/expiry-entries.ts";
import { indexEntry } from "../change/index-entries.ts";
import type { Database } from "../database/database.ts";
import type { DropJob, FillExpiryJob, FillIndexJob, Job } from "../database/job.ts";
import { keyAfter, prefixEnd } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { StoredItem } from "../values/stored-item.ts";
import { WorkBudget } from "./work-budget.ts";

/** Performs one step of a job. Returns the rest of the job, or undefined if it is done. */
export function runJob(database: Database, transaction: WriteTransaction, job: Job): Job | undefined {
  switch (job.kind) {
    case "drop":
      return dropEntries(database, transaction, job);
    case "fill-index":
      return fillIndex(database, transaction, job);
    case "fill-expiry":
      return fillExpiry(database, transaction, job);
  }
}

/** Removes some unreachable entries. Returns undefined once none is left. */
function dropEntries(database: Database, transaction: WriteTransaction, job: DropJob): DropJob | undefined {
  const budget = new WorkBudget();
  for (const [at, prefix] of job.prefixes.entries()) {
    database.bareStorage.scan({ start: prefix, end: prefixEnd(prefix) }, (key, text) => {
      transaction.delete(key);
      return budget.spend(text);
    });
    if (budget.isSpent) return { ...job, prefixes: job.prefixes.slice(at) };
  }
  for (const key of job.keys) transaction.delete(key);
  return undefined;
}

/** Adds some items to a new index. Returns undefined once all are in it, or once it was deleted. */
function fillIndex(
  database: Database,
  transaction: WriteTransaction,
  job: FillIndexJob,
): FillIndexJob | undefined {
  const record = database.catalog.latest(transaction, job.tableName);
  const table = record && tableModel(record);
  const index = table?.indexes.find(({ id }) => id === job.indexId);
  if (record === undefined || table === undefined || index === undefined) return undefined;
  const counts = new CountChange(table.id);
  const cursor = visitItems(database, transaction, table, job.cursor, (text) => {
    addEntry(transaction, table, index, new StoredItem(text), counts);
  });
  counts.store(transaction);
  if (cursor !== undefined) return { ...job, cursor };
  database.catalog.put(transaction, withActiveIndex(record, index.name));
  return undefined;
}

function addEntry(
  transaction: WriteTransaction,
  table: TableModel,
  index: IndexModel,
  stored: StoredItem,
  counts: CountChange,
): void {
  // Items whose key is not valid for the index stay out of it.
  const key = indexKey(table, index, stored.item);
  // A write since the index was created has added its item already.
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

/** Adds the expiry entries of some items. Returns undefined once all have them, or once expiry was disabled. */
function fillExpiry(
  database: Database,
  transaction: WriteTransaction,
  job: FillExpiryJob,
): FillExpiryJob | undefined {
  const record = database.catalog.latest(transaction, job.tableName);
  if (record?.timeToLive?.id !== job.expiryId) return undefined;
  const table = tableModel(record);
  const cursor = visitItems(database, transaction, table, job.cursor, (text) => {
    const key = expiryKey(table, new StoredItem(text));
    if (key !== undefined) transaction.put(key, "");
  });
  if (cursor !== undefined) return { ...job, cursor };
  database.catalog.put(transaction, { ...record, timeToLive: { ...record.timeToLive, filled: true } });
  return undefined;
}

/**
 * Visits some of a table's items after `cursor`, each as the earlier writes leave it. Returns the cursor of the next
 * step, or undefined if this was the last.
 */
export function visitItems(
  database: Database,
  transaction: WriteTransaction,
  table: TableModel,
  cursor: string,
  visit: (text: string) => void,
): string | undefined {
  const region = regionOf(table);
  const budget = new WorkBudget();
  let last: string | undefined;
  const range = { start: cursor === "" ? region : keyAfter(cursor), end: prefixEnd(region) };
  database.bareStorage.scan(range, (key, committed) => {
    const text = transaction.get(key);
    if (text !== undefined) visit(text);
    if (budget.spend(committed)) return true;
    last = key;
    return false;
  });
  return last;
}
