import { expect, test } from "vitest";
import { openTestDatabase, PersistentTestStorage, putAll, tableInput } from "../../test/tables.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import { StoredItem } from "../values/stored-item.ts";
import { visitItems } from "./run-job.ts";

async function opened(count: number) {
  const { port, database } = openTestDatabase(new PersistentTestStorage());
  await port.createTable(tableInput());
  await putAll(
    port,
    Array.from({ length: count }, (_, at) => ({ pk: { S: String(at) } })),
  );
  return { database, table: database.catalog.get("things") };
}

test("visits items as the earlier writes leave them, not as committed", async () => {
  const { database, table } = await opened(3);
  const seen = await database.writes.submit((transaction) => {
    const changed = StoredItem.pack({ pk: { S: "1" }, a: { S: "x" } }, 4, false);
    transaction.delete(itemKey(table, { pk: { S: "0" } }));
    transaction.put(itemKey(table, changed.item), changed.text);
    const texts: string[] = [];
    visitItems(database, transaction, table, "", (text) => texts.push(new StoredItem(text).json));
    return texts.sort();
  });
  expect(seen).toEqual(['{"pk":{"S":"1"},"a":{"S":"x"}}', '{"pk":{"S":"2"}}']);
});

test("visits every item once, step by step", async () => {
  const { database, table } = await opened(250);
  const seen: string[] = [];
  const portions = await database.writes.submit((transaction) => {
    let cursor: string | undefined = "";
    let count = 0;
    while (cursor !== undefined) {
      cursor = visitItems(database, transaction, table, cursor, (text) => seen.push(text));
      count++;
    }
    return count;
  });
  expect(portions).toBe(3);
  expect(seen.length).toBe(250);
  expect(new Set(seen).size).toBe(250);
});
