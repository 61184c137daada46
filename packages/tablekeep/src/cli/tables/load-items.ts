import { type BatchWriteEntry, batchWriteStream, type KeyNames } from "@tablekeep/client";
import type { DynamoPort, Item, TableDescription } from "@tablekeep/core";

/** Requests under way at the same time. */
const parallel = 8;

/** Puts items into a table; gives the number of those stored so far after each request. */
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
