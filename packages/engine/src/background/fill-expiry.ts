import { tableModel } from "../catalog/table-model.ts";
import type { Database } from "../database.ts";
import { StoredItem } from "../item/stored-item.ts";
import { expiryKey } from "../ttl/expiry-entries.ts";
import type { WriteTransaction } from "../write/write-queue.ts";
import { eachItem } from "./each-item.ts";
import type { FillExpiryJob } from "./job.ts";

/** Gives some items their expiry entries. Undefined once all have them, or once expiry is off again. */
export function fillExpiry(
  database: Database,
  transaction: WriteTransaction,
  job: FillExpiryJob,
): FillExpiryJob | undefined {
  const record = database.catalog.latest(transaction, job.tableName);
  if (record?.timeToLive?.id !== job.expiryId) return undefined;
  const table = tableModel(record);
  const cursor = eachItem(database, transaction, table, job.cursor, (text) => {
    const key = expiryKey(table, new StoredItem(text));
    if (key !== undefined) transaction.put(key, "");
  });
  if (cursor !== undefined) return { ...job, cursor };
  database.catalog.put(transaction, { ...record, timeToLive: { ...record.timeToLive, filled: true } });
  return undefined;
}
