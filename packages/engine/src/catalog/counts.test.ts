import { expect, test } from "vitest";
import { describeThings, openTestDatabase, PersistentTestStorage, tableInput } from "../../test/tables.ts";
import { countsKey } from "./counts.ts";

test("a write that changes neither number nor size does not write the record of counts", async () => {
  const storage = new PersistentTestStorage();
  const { port, database } = openTestDatabase(storage);
  await port.createTable(tableInput());
  const put = (value: string) =>
    port.putItem({ TableName: "things", Item: { pk: { S: "1" }, v: { S: value } } });
  await put("a");
  const { id } = database.catalog.get("things");
  const before = storage.get(countsKey(id));
  storage.commitSizes.length = 0;
  await put("b");
  expect(storage.commitSizes).toEqual([1]);
  expect(storage.get(countsKey(id))).toBe(before);
});

test("many writes to one table in one turn share one record of counts", async () => {
  const storage = new PersistentTestStorage();
  const { port } = openTestDatabase(storage);
  await port.createTable(tableInput());
  storage.commitSizes.length = 0;
  const puts = Array.from({ length: 50 }, (_, at) =>
    port.putItem({ TableName: "things", Item: { pk: { S: String(at) } } }),
  );
  await Promise.all(puts);
  expect(storage.commitSizes).toEqual([51]);
  expect((await describeThings(port)).ItemCount).toBe(50);
});
