import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS: API_GetItem";

export const getItemCases: readonly PortCase[] = [
  {
    name: "GetItem of an absent key gives no item",
    source: api,
    async run({ port, tables, unique }) {
      same(await port.getItem({ TableName: tables.simple, Key: { pk: { S: unique() } } }), {});
    },
  },
  {
    name: "GetItem tells sort keys of one partition apart",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      await port.putItem({ TableName: tables.composite, Item: { pk, sk: { S: "a" } } });
      same(await port.getItem({ TableName: tables.composite, Key: { pk, sk: { S: "ab" } } }), {});
    },
  },
  {
    name: "GetItem takes the key in any order of its attributes",
    source: api,
    async run({ port, tables, unique }) {
      const Item = { pk: { S: unique() }, sk: { S: "a" }, x: { BOOL: false } };
      await port.putItem({ TableName: tables.composite, Item });
      const Key = { sk: Item.sk, pk: Item.pk };
      same(await port.getItem({ TableName: tables.composite, Key }), { Item });
    },
  },
  {
    name: "GetItem with ConsistentRead sees every earlier write",
    source: "AWS docs: HowItWorks.ReadConsistency",
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      for (let version = 1; version <= 5; version++) {
        const Item = { pk, version: { N: String(version) } };
        await port.putItem({ TableName: tables.simple, Item });
        same(await port.getItem({ TableName: tables.simple, Key: { pk }, ConsistentRead: true }), { Item });
      }
    },
  },
  {
    name: "GetItem does not find an item by a key that differs in case",
    source: api,
    async run({ port, tables, unique }) {
      const key = unique();
      await port.putItem({ TableName: tables.simple, Item: { pk: { S: `${key}-a` } } });
      same(await port.getItem({ TableName: tables.simple, Key: { pk: { S: `${key}-A` } } }), {});
    },
  },
  {
    name: "GetItem of an absent table is refused",
    source: api,
    async run({ port, unique }) {
      const read = port.getItem({ TableName: `absent-${unique()}`, Key: { pk: { S: "a" } } });
      await refuses(read, "ResourceNotFoundException");
    },
  },
];
