import type { AttributeValue } from "@tablekeep/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { define, described, keySchema, LastingStorage, openDatabase, tableInput } from "../../test/tables.ts";
import { StoredItem } from "../item/stored-item.ts";
import { prefixEnd, type Storage } from "../storage/storage.ts";
import { countsKey } from "./counts.ts";
import { regionOf } from "./storage-keys.ts";
import type { IndexModel, TableModel } from "./table-model.ts";

/** What is there, counted one by one. */
function counted(storage: Storage, source: TableModel | IndexModel): [number, number] {
  const region = regionOf(source);
  let items = 0;
  let bytes = 0;
  storage.scan({ start: region, end: prefixEnd(region) }, (_key, text) => {
    items++;
    bytes += new StoredItem(text).size;
    return true;
  });
  return [items, bytes];
}

const optionalText = fc.option(fc.constantFrom("a", "b", "long".repeat(30)), { nil: undefined });
const step = fc.record({
  kind: fc.constantFrom("put", "update", "delete", "transact", "refused", "restart"),
  pk: fc.constantFrom("1", "2", "3"),
  sk: fc.constantFrom("1", "2"),
  l: optionalText,
  g: optionalText,
  x: optionalText,
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const indexes = {
  AttributeDefinitions: define("pk", "sk", "l", "g"),
  KeySchema: keySchema("pk", "sk"),
  LocalSecondaryIndexes: [
    {
      IndexName: "by-l",
      KeySchema: keySchema("pk", "l"),
      Projection: { ProjectionType: "KEYS_ONLY" as const },
    },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "by-g",
      KeySchema: keySchema("g", "l"),
      Projection: { ProjectionType: "INCLUDE" as const, NonKeyAttributes: ["x"] },
    },
  ],
};

async function carryOut(
  opening: ReturnType<typeof openDatabase>,
  { kind, pk, sk, ...rest }: Step,
): Promise<void> {
  const { port } = opening;
  const Key = { pk: { S: pk }, sk: { S: sk } };
  const Item: Record<string, AttributeValue> = { ...Key };
  for (const [name, text] of Object.entries(rest)) if (text !== undefined) Item[name] = { S: text };
  const TableName = "things";
  if (kind === "put") await port.putItem({ TableName, Item });
  if (kind === "delete") await port.deleteItem({ TableName, Key });
  if (kind === "update") {
    await port.updateItem({
      TableName,
      Key,
      UpdateExpression: rest.g === undefined ? "REMOVE g SET n = :n" : "SET g = :g, n = :n",
      ExpressionAttributeValues: { ":n": { N: "1" }, ...(rest.g !== undefined && { ":g": { S: rest.g } }) },
    });
  }
  if (kind === "transact") {
    const other = { pk: { S: pk }, sk: { S: sk === "1" ? "2" : "1" } };
    await port.transactWriteItems({
      TransactItems: [{ Put: { TableName, Item } }, { Delete: { TableName, Key: other } }],
    });
  }
  if (kind === "refused") {
    const put = { TableName, Item, ConditionExpression: "attribute_exists(nothing)" };
    await port.putItem(put).catch(() => undefined);
  }
}

test("counts are those of what is stored, whatever was written and however often it was opened", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, together) => {
      const storage = new LastingStorage();
      let opening = openDatabase(storage);
      await opening.port.createTable(tableInput(indexes));
      const under: Promise<void>[] = [];
      for (const each of steps) {
        if (each.kind === "restart") {
          await Promise.all(under);
          opening = openDatabase(storage);
        } else if (together) under.push(carryOut(opening, each));
        else await carryOut(opening, each);
      }
      await Promise.all(under);
      const table = opening.database.catalog.get("things");
      const [local, global] = table.indexes as [IndexModel, IndexModel];
      const told = await described(opening.port);
      expect([told.ItemCount, told.TableSizeBytes]).toEqual(counted(storage, table));
      const [toldLocal] = told.LocalSecondaryIndexes ?? [];
      expect([toldLocal?.ItemCount, toldLocal?.IndexSizeBytes]).toEqual(counted(storage, local));
      const [toldGlobal] = told.GlobalSecondaryIndexes ?? [];
      expect([toldGlobal?.ItemCount, toldGlobal?.IndexSizeBytes]).toEqual(counted(storage, global));
    }),
    { numRuns: 60 },
  );
});

test("a write that changes neither number nor size leaves the record of counts alone", async () => {
  const storage = new LastingStorage();
  const { port, database } = openDatabase(storage);
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
  const storage = new LastingStorage();
  const { port } = openDatabase(storage);
  await port.createTable(tableInput());
  storage.commitSizes.length = 0;
  const puts = Array.from({ length: 50 }, (_, at) =>
    port.putItem({ TableName: "things", Item: { pk: { S: String(at) } } }),
  );
  await Promise.all(puts);
  expect(storage.commitSizes).toEqual([51]);
  expect((await described(port)).ItemCount).toBe(50);
});
