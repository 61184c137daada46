import type { AttributeValue } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { column, indexedRows, only, queryIndex, settles } from "../sample-rows.ts";

const api = "AWS docs: Using global secondary indexes in DynamoDB";
const s = (text: string): AttributeValue => ({ S: text });
const n = (text: string): AttributeValue => ({ N: text });

export const globalIndexUpkeepCases: readonly PortCase[] = [
  {
    name: "A global index follows puts, updates and deletes of its items",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const { g, items } = await indexedRows(world);
      const elsewhere = s(unique());
      const key = (index: number) => only(items[index], "pk", "sk");
      const shows = (where: AttributeValue, expected: string[]) =>
        settles(
          world,
          async () => column((await queryIndex(world, "by-g-h", where)).Items, "sk").sort(),
          expected,
        );
      await port.updateItem({
        TableName: tables.indexed,
        Key: key(0),
        UpdateExpression: "SET g = :x",
        ExpressionAttributeValues: { ":x": elsewhere },
      });
      await shows(g, ["2", "4"]);
      await shows(elsewhere, ["1"]);
      await port.updateItem({ TableName: tables.indexed, Key: key(1), UpdateExpression: "REMOVE h" });
      await shows(g, ["4"]);
      await port.putItem({ TableName: tables.indexed, Item: { ...items[2], h: n("1") } });
      await shows(g, ["3", "4"]);
      await port.deleteItem({ TableName: tables.indexed, Key: key(3) });
      await shows(g, ["3"]);
    },
  },
  {
    name: "A global index shows the changed attributes that it projects",
    source: api,
    async run(world) {
      const { g, items } = await indexedRows(world);
      await world.port.updateItem({
        TableName: world.tables.indexed,
        Key: only(items[1], "pk", "sk"),
        UpdateExpression: "SET a = :x, b = :x",
        ExpressionAttributeValues: { ":x": s("new") },
      });
      const read = async () => (await queryIndex(world, "by-g-h", g, { Limit: 1 })).Items;
      await settles(world, read, [{ ...only(items[1], "pk", "sk", "g", "h"), a: s("new") }]);
    },
  },
  {
    name: "A global index follows batch writes and transactions",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const { g, items } = await indexedRows(world);
      const keys = items.map((item) => only(item, "pk", "sk"));
      await port.batchWriteItem({
        RequestItems: { [tables.indexed]: [{ DeleteRequest: { Key: keys[0] } }] },
      });
      await port.transactWriteItems({
        TransactItems: [
          { Delete: { TableName: tables.indexed, Key: keys[1] } },
          { Put: { TableName: tables.indexed, Item: { ...items[2], h: n("7") } } },
        ],
      });
      await settles(world, async () => column((await queryIndex(world, "by-g-h", g)).Items, "sk"), [
        "3",
        "4",
      ]);
    },
  },
  {
    name: "PutItem refuses a global index key of the wrong type and stores nothing",
    source: "public conformance suites",
    async run({ port, tables, unique }) {
      const key = { pk: s(unique()), sk: s("1") };
      const put = port.putItem({ TableName: tables.indexed, Item: { ...key, g: s("g"), h: s("text") } });
      await refuses(put, "ValidationException", "Type mismatch for Index Key");
      same(await port.getItem({ TableName: tables.indexed, Key: key, ConsistentRead: true }), {});
    },
  },
];
