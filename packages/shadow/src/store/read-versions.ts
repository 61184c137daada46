import type { Item } from "@tablekeep/core";
import { ShadowError } from "../model/shadow-error.ts";
import { entryKey, type HistoryRow, historyKey, readEntry } from "../rows/history-row.ts";
import { type ShadowId, shadowText } from "../rows/row-keys.ts";
import type { StoreCall } from "./store-options.ts";

/** Reads the entry of a version, strongly consistent; undefined if it is not kept. */
export async function readVersion(
  call: StoreCall,
  shadow: ShadowId,
  version: number,
): Promise<HistoryRow | undefined> {
  const { clock: _clock, random: _random, ...request } = call.request();
  const Key = historyKey(shadow, entryKey(version));
  const input = { TableName: tableOf(call, shadow), Key, ConsistentRead: true };
  const { Item } = await call.port.getItem(input, request);
  return Item && readEntry(shadow, Item, call.options.clock.now());
}

/** Reads entries, newest first, after `after` if given. Ends with the deadline of the call. */
export async function* readEntries(
  call: StoreCall,
  shadow: ShadowId,
  { after, limit }: { readonly after?: string; readonly limit?: number } = {},
): AsyncGenerator<HistoryRow> {
  const TableName = tableOf(call, shadow);
  let start: Item | undefined = after === undefined ? undefined : historyKey(shadow, after);
  do {
    const { clock: _clock, random: _random, ...request } = call.request();
    const { Items = [], LastEvaluatedKey } = await call.port.query(
      {
        TableName,
        KeyConditionExpression: "Shadow = :shadow",
        ExpressionAttributeValues: { ":shadow": { S: shadowText(shadow) } },
        ScanIndexForward: false,
        ConsistentRead: true,
        ...(limit !== undefined && { Limit: limit }),
        ...(start !== undefined && { ExclusiveStartKey: start }),
      },
      request,
    );
    for (const item of Items) {
      const entry = readEntry(shadow, item, call.options.clock.now());
      if (entry !== undefined) yield entry;
    }
    start = LastEvaluatedKey;
  } while (start !== undefined);
}

function tableOf({ options: { history } }: StoreCall, { id, name }: ShadowId): string {
  if (history !== undefined) return history.table;
  throw new ShadowError(
    "SHADOW_HISTORY_OFF",
    "this store keeps no history: open it with the option history, or start the server with --shadow-history",
    { id, name },
  );
}
