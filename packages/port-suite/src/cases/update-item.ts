import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS: API_UpdateItem";

export const updateItemCases: readonly PortCase[] = [
  {
    name: "UpdateItem without changes creates an absent item of its key",
    source: `${api}; public conformance suites`,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      same(await port.updateItem({ TableName: tables.simple, Key }), {});
      same(await port.getItem({ TableName: tables.simple, Key }), { Item: Key });
    },
  },
  {
    name: "UpdateItem without changes leaves an item as it is",
    source: `${api}; public conformance suites`,
    async run({ port, tables, unique }) {
      const Item = { pk: { S: unique() }, a: { N: "1" } };
      await port.putItem({ TableName: tables.simple, Item });
      await port.updateItem({ TableName: tables.simple, Key: { pk: Item.pk } });
      same(await port.getItem({ TableName: tables.simple, Key: { pk: Item.pk } }), { Item });
    },
  },
  {
    name: "UpdateItem's condition sees the item before the update",
    source: api,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      const step = (to: number, was: number) =>
        port.updateItem({
          TableName: tables.simple,
          Key,
          UpdateExpression: "SET a = :to",
          ConditionExpression: "attribute_not_exists(a) OR a = :was",
          ExpressionAttributeValues: { ":to": { N: String(to) }, ":was": { N: String(was) } },
        });
      await step(1, 0);
      await step(2, 1);
      await refuses(step(3, 1), "ConditionalCheckFailedException");
      same(await port.getItem({ TableName: tables.simple, Key }), { Item: { ...Key, a: { N: "2" } } });
    },
  },
  {
    name: "UpdateItem with a condition may have no update",
    source: api,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      const check = () =>
        port.updateItem({ TableName: tables.simple, Key, ConditionExpression: "attribute_exists(pk)" });
      await refuses(check(), "ConditionalCheckFailedException");
      await port.putItem({ TableName: tables.simple, Item: Key });
      await check();
    },
  },
  {
    name: "UpdateItem of 20 concurrent increments loses none",
    source: "AWS docs: WorkingWithItems, atomic counters",
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      const increments = Array.from({ length: 20 }, () =>
        port.updateItem({
          TableName: tables.simple,
          Key,
          UpdateExpression: "ADD a :one",
          ExpressionAttributeValues: { ":one": { N: "1" } },
          ReturnValues: "UPDATED_NEW",
        }),
      );
      const seen = (await Promise.all(increments)).map(({ Attributes }) => Number(Attributes?.["a"]?.N));
      same(
        seen.sort((left, right) => left - right),
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    },
  },
  {
    name: "UpdateItem may not change the sort key",
    source: `${api}; public conformance suites`,
    async run({ port, tables, unique }) {
      const update = port.updateItem({
        TableName: tables.composite,
        Key: { pk: { S: unique() }, sk: { S: "a" } },
        UpdateExpression: "SET sk = :v",
        ExpressionAttributeValues: { ":v": { S: "b" } },
      });
      await refuses(
        update,
        "ValidationException",
        "One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key",
      );
    },
  },
  {
    name: "UpdateItem may read the key in its update and in its condition",
    source: api,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item: Key });
      await port.updateItem({
        TableName: tables.simple,
        Key,
        UpdateExpression: "SET a = pk",
        ConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": Key.pk },
      });
      same(await port.getItem({ TableName: tables.simple, Key }), { Item: { ...Key, a: Key.pk } });
    },
  },
  {
    name: "UpdateItem of an absent table is refused",
    source: api,
    async run({ port, unique }) {
      const update = port.updateItem({ TableName: `absent-${unique()}`, Key: { pk: { S: "a" } } });
      await refuses(update, "ResourceNotFoundException");
    },
  },
];
