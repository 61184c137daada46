import { metaKey, streamSeries } from "../catalog/storage-keys.ts";
import type { StreamRecord } from "../catalog/stream-catalog.ts";
import { timeOfChange } from "../change/change-record.ts";
import type { Database } from "../database/database.ts";
import {
  decodeRecords,
  encodeRecords,
  numberOfKey,
  type SeriesPrefix,
  seriesKey,
} from "../storage/series.ts";
import { prefixEnd, type Storage } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { nextBackgroundTurn, WorkBudget } from "./work-budget.ts";

/** AWS: Streams — a record can be read for a day. */
const retentionMs = 24 * 60 * 60 * 1000;

/** Removes change records older than a day, and streams that have been disabled for as long. */
export async function trimStreams(database: Database, signal: AbortSignal): Promise<void> {
  for (const stream of database.streams.all()) {
    while (!signal.aborted && (await trimSome(database, stream))) await nextBackgroundTurn(signal);
  }
}

/** Removes a few of a stream's oldest records. Returns true if there may be more. */
async function trimSome(database: Database, { id, arn }: StreamRecord): Promise<boolean> {
  if (database.writes.isBusy) await database.writes.ready();
  const horizon = database.clock.now() - retentionMs;
  return database.writes.submit((transaction) => {
    const stream = database.streams.latest(transaction, arn);
    if (stream === undefined) return false;
    const { last, left } = trimSeries(database.bareStorage, transaction, streamSeries(id), horizon);
    if (last !== undefined) {
      database.streams.put(transaction, { ...stream, trimmedTo: last });
      return !left;
    }
    if (!left && stream.closedAt !== undefined && stream.closedAt <= horizon) {
      database.streams.delete(transaction, arn);
      // Written by earlier versions.
      transaction.delete(metaKey(`stream-count/${id}`));
    }
    return false;
  });
}

/** Removes the oldest records of a series. Returns the number of the last one removed, and whether others are left that are not old. */
function trimSeries(
  storage: Storage,
  transaction: WriteTransaction,
  series: SeriesPrefix,
  horizon: number,
): { readonly last: number | undefined; readonly left: boolean } {
  const budget = new WorkBudget();
  let last: number | undefined;
  let left = false;
  storage.scan({ start: series, end: prefixEnd(series) }, (key, entry) => {
    const records = decodeRecords(entry);
    const young = records.findIndex((record) => timeOfChange(record) > horizon);
    left = young >= 0;
    if (young === 0) return false;
    const first = numberOfKey(key);
    transaction.delete(key);
    last = first + (left ? young : records.length) - 1;
    if (left) transaction.put(seriesKey(series, last + 1), encodeRecords(records.slice(young)));
    return !left && budget.spend(entry);
  });
  return { last, left };
}
