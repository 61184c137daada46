import type { StreamRecord } from "../catalog/stream-catalog.ts";
import { timeOfChange } from "../change/change-record.ts";
import { countOfKey, streamCountKey, streamRegion } from "../change/stream-records.ts";
import type { Database } from "../database/database.ts";
import { prefixEnd } from "../storage/storage.ts";
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
    const old: string[] = [];
    const budget = new WorkBudget();
    let left = false;
    const region = streamRegion(id);
    database.bareStorage.scan({ start: region, end: prefixEnd(region) }, (key, text) => {
      left = timeOfChange(text) > horizon;
      if (left) return false;
      old.push(key);
      return budget.spend(text);
    });
    for (const key of old) transaction.delete(key);
    const last = old[old.length - 1];
    if (last !== undefined) {
      database.streams.put(transaction, { ...stream, trimmedTo: countOfKey(id, last) });
      return !left;
    }
    if (!left && stream.closedAt !== undefined && stream.closedAt <= horizon) {
      database.streams.delete(transaction, arn);
      transaction.delete(streamCountKey(id));
    }
    return false;
  });
}
