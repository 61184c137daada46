import { itemSize, maxItemBytes } from "@tablekeep/client";
import type { Put } from "@tablekeep/core";
import { ShadowError } from "../model/shadow-error.ts";
import {
  deletionEntry,
  entryKey,
  entryVersion,
  type NewEntry,
  putEntry,
  versionEntry,
} from "../rows/history-row.ts";
import { type RowId, type ShadowId, shadowText } from "../rows/row-keys.ts";
import type { RowContent } from "../rows/stored-row.ts";
import { operationInvalid } from "./check-operation.ts";
import type { ResolvedHistory, StoreCall } from "./store-options.ts";

/** A history, and the time at which new entries expire. */
export interface HistoryTime extends ResolvedHistory {
  /** Seconds since 1970. */
  readonly expiresAt: number | undefined;
}

/** The history of a call; undefined if none is kept. */
export function historyOf({ options: { history, clock } }: StoreCall): HistoryTime | undefined {
  if (history === undefined) return undefined;
  const { maxAgeMs } = history;
  const expiresAt = maxAgeMs === undefined ? undefined : Math.ceil((clock.now() + maxAgeMs) / 1000);
  return { ...history, expiresAt };
}

/** Rejects a shadow whose key or entry would be too large, or whose halves are separate. */
export function checkKept({ id, name }: ShadowId, contents: readonly RowContent[]): void {
  if (contents.some(({ kind }) => kind !== "combined"))
    throw operationInvalid(
      { id, name },
      "a history requires the model combined: omit the model, or pass combined",
    );
  if (Buffer.byteLength(shadowText({ id, name })) > 2048)
    throw operationInvalid({ id, name }, "with a history, id and name have at most 2,040 bytes together");
  for (const content of contents) {
    // A write id, the version before and the time of expiry are added.
    const actual = itemSize(versionEntry(content, { version: 1, previous: 0 })) + 80;
    if (actual > maxItemBytes)
      throw new ShadowError(
        "SHADOW_TOO_LARGE",
        `shadow "${name}" of ${id} needs ${actual} bytes in its history; an item holds at most ${maxItemBytes}`,
        { id, name, actual, maximum: maxItemBytes },
      );
  }
}

/** Adds the entry of a version. */
export function entryOf({ table, expiresAt }: HistoryTime, row: RowContent, entry: NewEntry): Put {
  return putEntry(table, versionEntry(row, { ...entry, expiresAt }));
}

/** Adds the entry of a deletion. */
export function deletionOf(
  { table, expiresAt }: HistoryTime,
  row: RowId,
  timeStamp: bigint,
  entry: NewEntry,
): Put {
  return putEntry(table, deletionEntry(row, timeStamp, { ...entry, expiresAt }));
}

/** The version of the newest entry; 0 if there is none. */
export async function newestVersion(call: StoreCall, shadow: ShadowId, table: string): Promise<number> {
  const { clock: _clock, random: _random, ...request } = call.request();
  const { Items = [] } = await call.port.query(
    {
      TableName: table,
      KeyConditionExpression: "Shadow = :shadow",
      ExpressionAttributeValues: { ":shadow": { S: shadowText(shadow) } },
      ProjectionExpression: "Entry",
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    },
    request,
  );
  return entryVersion(Items[0]?.["Entry"]?.S ?? entryKey(0));
}
