import type { Item } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { sampleItem } from "../sample-rows.ts";

const api = "AWS: API_PutItem";

export const putItemCases: readonly PortCase[] = [
  {
    name: "PutItem stores an item that GetItem gives back",
    source: api,
    async run({ port, tables, unique }) {
      const Item = { pk: { S: unique() }, a: { N: "1" } };
      same(await port.putItem({ TableName: tables.simple, Item }), {});
      same(await port.getItem({ TableName: tables.simple, Key: { pk: Item.pk } }), { Item });
    },
  },
  {
    name: "PutItem stores values of every type",
    source: api,
    async run({ port, tables, unique }) {
      const Item: Item = { pk: { S: unique() }, ...sampleItem };
      await port.putItem({ TableName: tables.simple, Item });
      same(await port.getItem({ TableName: tables.simple, Key: { pk: Item["pk"] as never } }), { Item });
    },
  },
  {
    name: "PutItem replaces the whole item",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      await port.putItem({ TableName: tables.simple, Item: { pk, a: { N: "1" }, b: { N: "2" } } });
      await port.putItem({ TableName: tables.simple, Item: { pk, b: { N: "3" } } });
      same(await port.getItem({ TableName: tables.simple, Key: { pk } }), { Item: { pk, b: { N: "3" } } });
    },
  },
  {
    name: "PutItem keeps items of one partition apart by their sort key",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const item = (sk: string): Item => ({ pk, sk: { S: sk }, a: { S: sk } });
      await port.putItem({ TableName: tables.composite, Item: item("a") });
      await port.putItem({ TableName: tables.composite, Item: item("b") });
      same(await port.getItem({ TableName: tables.composite, Key: { pk, sk: { S: "a" } } }), {
        Item: item("a"),
      });
    },
  },
  {
    name: "PutItem stores an item of its key alone",
    source: api,
    async run({ port, tables, unique }) {
      const Item = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item });
      same(await port.getItem({ TableName: tables.simple, Key: Item }), { Item });
    },
  },
  {
    name: "PutItem with a condition that does not hold changes nothing",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const put = (a: string) =>
        port.putItem({
          TableName: tables.simple,
          Item: { pk, a: { S: a } },
          ConditionExpression: "attribute_not_exists(pk)",
        });
      await put("first");
      await refuses(put("second"), "ConditionalCheckFailedException", "The conditional request failed");
      same(await port.getItem({ TableName: tables.simple, Key: { pk } }), {
        Item: { pk, a: { S: "first" } },
      });
    },
  },
  {
    name: "PutItem's condition sees the old item, not the new one",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const put = (version: number, was: number) =>
        port.putItem({
          TableName: tables.simple,
          Item: { pk, version: { N: String(version) } },
          ConditionExpression: "attribute_not_exists(pk) OR version = :was",
          ExpressionAttributeValues: { ":was": { N: String(was) } },
        });
      await put(1, 0);
      await put(2, 1);
      await refuses(put(3, 1), "ConditionalCheckFailedException");
    },
  },
  {
    name: "of 10 concurrent conditional puts on one key one is accepted",
    source: "AWS docs: WorkingWithItems, conditional writes",
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const puts = Array.from({ length: 10 }, (_, index) =>
        port.putItem({
          TableName: tables.simple,
          Item: { pk, winner: { N: String(index) } },
          ConditionExpression: "attribute_not_exists(pk)",
        }),
      );
      const settled = await Promise.allSettled(puts);
      const winners = settled.flatMap(({ status }, index) => (status === "fulfilled" ? [String(index)] : []));
      same(winners.length, 1);
      same(await port.getItem({ TableName: tables.simple, Key: { pk }, ConsistentRead: true }), {
        Item: { pk, winner: { N: winners[0] } },
      });
    },
  },
  {
    name: "PutItem into an absent table is refused",
    source: api,
    async run({ port, unique }) {
      const put = port.putItem({ TableName: `absent-${unique()}`, Item: { pk: { S: "a" } } });
      await refuses(put, "ResourceNotFoundException");
    },
  },
];
