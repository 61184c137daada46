import type { DynamoPort, Item, TableDescription } from "@tablekeep/core";
import { expect } from "vitest";
import { indexKey, itemKey, regionOf, regions } from "../src/catalog/storage-keys.ts";
import type { IndexModel, TableModel } from "../src/catalog/table-model.ts";
import { expiryKey } from "../src/change/expiry-entries.ts";
import { indexEntry } from "../src/change/index-entries.ts";
import type { Database } from "../src/database/database.ts";
import { prefixEnd, type Storage } from "../src/storage/storage.ts";
import { StoredItem } from "../src/values/stored-item.ts";
import { describeThings } from "./tables.ts";

/** Checks a table when no work is in progress: everything beside the items follows from them. */
export async function expectConsistent(database: Database, port: DynamoPort): Promise<void> {
  const { bareStorage } = database;
  const table = database.catalog.get("things");
  const description = await describeThings(port);
  const items = [...entriesOf(bareStorage, regionOf(table)).values()].map((text) => new StoredItem(text));
  expectCount(description.ItemCount, description.TableSizeBytes, items);
  for (const index of table.indexes) expectIndex(bareStorage, table, index, items, description);
  const expiring = items.map((stored) => expiryKey(table, stored)).filter((key) => key !== undefined);
  expect([...entriesOf(bareStorage, regions.expiry).keys()]).toEqual(expiring.sort());
  expect(await replayStream(port, table, description)).toEqual(
    Object.fromEntries(items.map((stored) => [itemKey(table, stored.item), stored.item])),
  );
}

function entriesOf(storage: Storage, region: string): Map<string, string> {
  const entries = new Map<string, string>();
  storage.scan({ start: region, end: prefixEnd(region) }, (key, text) => {
    entries.set(key, text);
    return true;
  });
  return entries;
}

function expectCount(items: unknown, bytes: unknown, stored: readonly StoredItem[]): void {
  expect([items, bytes]).toEqual([stored.length, stored.reduce((sum, { size }) => sum + size, 0)]);
}

function expectIndex(
  storage: Storage,
  table: TableModel,
  index: IndexModel,
  items: readonly StoredItem[],
  description: TableDescription,
): void {
  const expected = new Map<string, string>();
  for (const stored of items) {
    const key = indexKey(table, index, stored.item);
    if (key !== undefined) expected.set(key, indexEntry(index, stored).text);
  }
  const found = entriesOf(storage, regionOf(index));
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  const indexDescription = [
    ...(description.LocalSecondaryIndexes ?? []),
    ...(description.GlobalSecondaryIndexes ?? []),
  ].find(({ IndexName }) => IndexName === index.name);
  const entries = [...found.values()].map((text) => new StoredItem(text));
  expectCount(indexDescription?.ItemCount, indexDescription?.IndexSizeBytes, entries);
}

/** Returns the items that result from applying the changes of the stream, by storage key. */
async function replayStream(
  port: DynamoPort,
  table: TableModel,
  { LatestStreamArn: StreamArn }: TableDescription,
): Promise<Record<string, Item>> {
  const { StreamDescription } = await port.describeStream({ StreamArn });
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId;
  const from = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
  let { ShardIterator } = await port.getShardIterator(from);
  const state: Record<string, Item> = {};
  for (let more = true; more; ) {
    const page = await port.getRecords({ ShardIterator, Limit: 7 });
    for (const { eventName, dynamodb } of page.Records ?? []) {
      const key = itemKey(table, dynamodb?.Keys as never);
      expect(dynamodb?.OldImage).toEqual(state[key]);
      expect(eventName).toBe(
        state[key] === undefined ? "INSERT" : dynamodb?.NewImage === undefined ? "REMOVE" : "MODIFY",
      );
      if (dynamodb?.NewImage === undefined) delete state[key];
      else state[key] = dynamodb.NewImage;
    }
    more = (page.Records?.length ?? 0) > 0;
    ShardIterator = page.NextShardIterator;
  }
  return state;
}
