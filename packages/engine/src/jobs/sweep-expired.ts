import { Consumption } from "../catalog/consumption.ts";
import type { TableModel, TimeToLiveRecord } from "../catalog/table-model.ts";
import { expiryKey, expiryRegion, itemKeyOfEntry, secondsKey } from "../change/expiry-entries.ts";
import type { Database } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { StoredItem } from "../values/stored-item.ts";
import { applyChange } from "../write/apply-change.ts";
import { maxEntries, nextBackgroundTurn, WorkBudget } from "./work-budget.ts";

/** AWS: TTL — an item that expired longer ago is not deleted. */
const maxAgeSeconds = 5 * 365 * 24 * 60 * 60;

const never = new AbortController().signal;

/** Deletes all items that have expired by the engine's clock, a few at a time. Returns their number. */
export async function sweepExpired(database: Database, signal: AbortSignal = never): Promise<number> {
  let deleted = 0;
  for (const { name } of database.catalog.all()) {
    for (;;) {
      if (database.writes.isBusy) await database.writes.ready();
      if (signal.aborted) return deleted;
      const swept = await sweepSome(database, name);
      deleted += swept.deleted;
      if (!swept.more) break;
      await nextBackgroundTurn(signal);
    }
  }
  return deleted;
}

interface SweepResult {
  readonly deleted: number;
  readonly more: boolean;
}

function sweepSome(database: Database, tableName: string): Promise<SweepResult> | SweepResult {
  const table = database.catalog.find(tableName);
  const timeToLive = table?.record.timeToLive;
  if (table === undefined || timeToLive === undefined) return { deleted: 0, more: false };
  const keys = expiredEntries(database, timeToLive);
  if (keys.length === 0) return { deleted: 0, more: false };
  return database.writes.submit((transaction) => {
    const budget = new WorkBudget();
    let deleted = 0;
    for (const key of keys) {
      const before = sweepOne(database, transaction, table, timeToLive, key);
      if (before !== undefined) deleted++;
      if (!budget.spend(before?.text ?? "")) return { deleted, more: true };
    }
    return { deleted, more: keys.length === maxEntries };
  });
}

function expiredEntries(database: Database, timeToLive: TimeToLiveRecord): string[] {
  const region = expiryRegion(timeToLive);
  const now = Math.floor(database.clock.now() / 1000);
  const keys: string[] = [];
  const start = region + secondsKey(Math.max(0, now - maxAgeSeconds));
  database.bareStorage.scan({ start, end: region + secondsKey(Math.max(0, now)) }, (key) => {
    keys.push(key);
    return keys.length < maxEntries;
  });
  return keys;
}

/** Deletes one item, if its current version has expired as well. Returns the deleted item. */
function sweepOne(
  database: Database,
  transaction: WriteTransaction,
  table: TableModel,
  timeToLive: TimeToLiveRecord,
  key: string,
): StoredItem | undefined {
  const text = transaction.get(itemKeyOfEntry(table, timeToLive, key));
  const before = text === undefined ? undefined : new StoredItem(text);
  if (before === undefined || expiryKey(table, before) !== key) {
    transaction.delete(key);
    return undefined;
  }
  const change = { before, after: undefined, byTimeToLive: true };
  applyChange(database, transaction, table, change, new Consumption(table, "write"));
  return before;
}
