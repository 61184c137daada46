import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS: API_DeleteItem";

export const deleteItemCases: readonly PortCase[] = [
  {
    name: "DeleteItem removes an item",
    source: api,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item: { ...Key, a: { N: "1" } } });
      same((await port.deleteItem({ TableName: tables.simple, Key })).Attributes, undefined);
      same(await port.getItem({ TableName: tables.simple, Key, ConsistentRead: true }), {});
    },
  },
  {
    name: "DeleteItem of an absent item is accepted",
    source: api,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      same((await port.deleteItem({ TableName: tables.simple, Key })).Attributes, undefined);
    },
  },
  {
    name: "DeleteItem leaves the other items of the partition",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      for (const sk of ["a", "b"]) {
        await port.putItem({ TableName: tables.composite, Item: { pk, sk: { S: sk } } });
      }
      await port.deleteItem({ TableName: tables.composite, Key: { pk, sk: { S: "a" } } });
      const { Items } = await port.query({
        TableName: tables.composite,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": pk },
      });
      same(Items, [{ pk, sk: { S: "b" } }]);
    },
  },
  {
    name: "DeleteItem with a condition deletes once",
    source: api,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item: Key });
      const remove = () =>
        port.deleteItem({ TableName: tables.simple, Key, ConditionExpression: "attribute_exists(pk)" });
      await remove();
      await refuses(remove(), "ConditionalCheckFailedException", "The conditional request failed");
    },
  },
  {
    name: "DeleteItem from an absent table is refused",
    source: api,
    async run({ port, unique }) {
      const remove = port.deleteItem({ TableName: `absent-${unique()}`, Key: { pk: { S: "a" } } });
      await refuses(remove, "ResourceNotFoundException");
    },
  },
];
