import type { Item } from "@tablekeep/core";
import type { BatchPlace } from "./event-row.ts";
import { wholeNumber } from "./row-attributes.ts";
import { type RowKey, rowCorrupt } from "./row-key.ts";

/** Adds a row's place in its atomic write. One event alone has none: the original would not deliver it. */
export function addBatchPlace(item: Item, batch: BatchPlace | undefined): void {
  if (batch === undefined || batch.lastIndex === 0) return;
  item["idx"] = { N: String(batch.index) };
  item["cnt"] = { N: String(batch.lastIndex) };
}

/** Reads a row's place in its atomic write. Despite its name, `cnt` is the index of the last row. */
export function decodeBatchPlace(item: Item, key: RowKey): BatchPlace | undefined {
  const lastIndex = wholeNumber(item, "cnt", key);
  if (lastIndex === undefined) return undefined;
  const index = wholeNumber(item, "idx", key);
  if (index === undefined || index < 0 || index > lastIndex)
    throw rowCorrupt(key, "idx", `is not between 0 and cnt, which is ${lastIndex}`);
  return { index, lastIndex };
}
