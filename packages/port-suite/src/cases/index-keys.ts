import type { AttributeValue, TransactWriteItem } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";

const source = "AWS docs: GSI and LSI, item collections and keys; public conformance suites";

const unchecked = "does not check the keys of local indexes in updates";

const refused: readonly (readonly [
  what: string,
  attribute: string,
  value: AttributeValue,
  updateGap?: string,
])[] = [
  ["a global index key of another type", "g", { N: "1" }],
  ["a global index sort key of another type", "h", { S: "1" }],
  ["a local index key of another type", "l", { N: "1" }, unchecked],
  ["a global index key that is null", "g", { NULL: true }],
  ["a local index key that is a set", "l", { SS: ["a"] }],
  ["an empty global index key", "g", { S: "" }],
  ["an empty local index key", "l", { S: "" }],
  ["a global index key of 2,049 bytes", "g", { S: "g".repeat(2049) }],
  ["a local index key of 1,025 bytes", "l", { S: "l".repeat(1025) }, unchecked],
];

export const indexKeyCases: readonly PortCase[] = [
  ...refused.flatMap(([what, attribute, value, updateGap]): PortCase[] => [
    {
      name: `PutItem refuses ${what}`,
      source,
      async run({ port, tables, unique }) {
        const Key = { pk: { S: unique() }, sk: { S: "a" } };
        const put = port.putItem({ TableName: tables.indexed, Item: { ...Key, [attribute]: value } });
        await refuses(put, "ValidationException");
        same(await port.getItem({ TableName: tables.indexed, Key }), {});
      },
    },
    {
      name: `UpdateItem refuses ${what}`,
      source,
      ...localGap(updateGap),
      async run({ port, tables, unique }) {
        const Key = { pk: { S: unique() }, sk: { S: "a" } };
        const update = port.updateItem({
          TableName: tables.indexed,
          Key,
          UpdateExpression: "SET #i = :v",
          ExpressionAttributeNames: { "#i": attribute },
          ExpressionAttributeValues: { ":v": value },
        });
        await refuses(update, "ValidationException");
        same(await port.getItem({ TableName: tables.indexed, Key }), {});
      },
    },
  ]),
  {
    name: "An empty value for an index key is refused in the words of each operation, also of a transaction",
    source: "public conformance suites; the first index by name, seen on AWS by the authors of ExtendDB",
    ...localGap("names another index"),
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() }, sk: { S: "a" } };
      const TableName = tables.indexed;
      const notValid = "One or more parameter values are not valid. ";
      const says = "The AttributeValue for a key attribute cannot contain an empty string value.";
      const named = `${notValid}A value specified for a secondary index key is not supported. ${says} IndexName: by-g, IndexKey: g`;
      const updated = `${notValid}The update expression attempted to update a secondary index key to a value that is not supported. ${says}`;
      const Put = { TableName, Item: { ...Key, g: { S: "" } } };
      const Update = {
        TableName,
        Key,
        UpdateExpression: "SET g = :v",
        ExpressionAttributeValues: { ":v": { S: "" } },
      };
      const transact = (action: TransactWriteItem) => port.transactWriteItems({ TransactItems: [action] });
      await refuses(port.updateItem(Update), "ValidationException", updated);
      await refuses(transact({ Update }), "ValidationException", updated);
      await refuses(port.putItem(Put), "ValidationException", named);
      await refuses(transact({ Put }), "ValidationException", named);
    },
  },
  ...(["g = :v", "begins_with(l, :v) AND pk = :p"] as const).map(
    (KeyConditionExpression): PortCase => ({
      name: `Query refuses an empty value for an index key: ${KeyConditionExpression}`,
      source: "reported of AWS by users of Query",
      async run({ port, tables }) {
        const isLocal = KeyConditionExpression.includes("pk");
        const query = port.query({
          TableName: tables.indexed,
          IndexName: isLocal ? "by-l" : "by-g",
          KeyConditionExpression,
          ExpressionAttributeValues: { ":v": { S: "" }, ...(isLocal && { ":p": { S: "p" } }) },
        });
        const index = isLocal ? "IndexName: by-l, IndexKey: l" : "IndexName: by-g, IndexKey: g";
        await refuses(query, "ValidationException", `cannot contain an empty string value. ${index}`);
      },
    }),
  ),
  {
    name: "index keys may have 2,048 and 1,024 bytes",
    source,
    async run({ port, tables, unique }) {
      await port.putItem({
        TableName: tables.indexed,
        Item: {
          pk: { S: unique() },
          sk: { S: "a" },
          g: { S: unique().padEnd(2048, "g") },
          l: { S: "l".repeat(1024) },
        },
      });
    },
  },
  {
    name: "an item may lack the keys of every index",
    source,
    async run({ port, tables, unique }) {
      const Item = { pk: { S: unique() }, sk: { S: "a" }, a: { N: "1" } };
      await port.putItem({ TableName: tables.indexed, Item });
      same(await port.getItem({ TableName: tables.indexed, Key: { pk: Item.pk, sk: Item.sk } }), { Item });
    },
  },
];
