import { type BatchWriteEntry, batchWriteStream, type KeyNames, scanPages } from "@tablekeep/client";
import type { DynamoPort, Item, TableDescription } from "@tablekeep/core";
import { wireDescription, wireItem } from "../../json/dynamodb-json.ts";
import { settingMembers, type TableSettings } from "./table-settings.ts";

/** The parts of a dump besides the items, and the listener for its progress. */
export interface DumpOptions {
  readonly settings: TableSettings;
  readonly onItems: (count: number) => void;
  readonly signal: AbortSignal;
}

/**
 * The text of a dump, one page at a time: `{ "TableDescription": …, "Items": [ … ] }` with one item per line, and settings
 * between the two if there are any. At most one page is in memory.
 */
export async function* dumpTable(
  port: DynamoPort,
  description: TableDescription,
  { settings, onItems, signal }: DumpOptions,
): AsyncGenerator<string, void, undefined> {
  const head = { TableDescription: wireDescription(description), ...settingMembers(settings) };
  const members = Object.entries(head).map(([name, member]) => `"${name}":${JSON.stringify(member)},\n`);
  yield `{${members.join("")}"Items":[`;
  let between = "\n";
  const input = { TableName: description.TableName, ConsistentRead: true };
  for await (const { Items = [] } of scanPages(port, input, { signal, deadlineMs: 60_000 })) {
    if (Items.length === 0) continue;
    yield between + Items.map((item) => JSON.stringify(wireItem(item))).join(",\n");
    between = ",\n";
    onItems(Items.length);
  }
  yield "\n]}\n";
}

/** Concurrent requests. */
const parallel = 8;

/** Puts items into a table; yields the number of stored items after each request. */
export async function* loadItems(
  port: DynamoPort,
  { TableName = "", KeySchema = [] }: TableDescription,
  items: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<number, void, undefined> {
  const keyNames = {
    [TableName]: KeySchema.map(({ AttributeName }) => AttributeName) as unknown as KeyNames,
  };
  const options = { parallel, keyNames, signal, deadlineMs: 60_000 };
  let stored = 0;
  for await (const done of batchWriteStream(port, entries(TableName, items), options)) {
    stored += done.length;
    yield stored;
  }
}

async function* entries(
  table: string,
  items: AsyncIterable<Item>,
): AsyncGenerator<BatchWriteEntry, void, undefined> {
  for await (const put of items) yield { table, put };
}
