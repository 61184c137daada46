import type { Item, ReturnValue } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";

const source = "AWS: API_UpdateItem, ReturnValues";
const suites = "public conformance suites";
const topLevel = "returns the whole top-level attribute";

interface Row {
  readonly returns: ReturnValue;
  readonly what: string;
  readonly before?: Item;
  readonly expression: string;
  readonly values?: Item;
  /** The attributes to return, with the key if `withKey` is set; none if absent. */
  readonly attributes?: Item;
  readonly withKey?: boolean;
  readonly source?: string;
  readonly gap?: string;
}

const ab: Item = { a: { N: "1" }, b: { S: "x" } };
const two = { ":v": { N: "2" } };
const document: Item = { m: { M: { a: { S: "old" }, l: { L: [{ N: "1" }, { N: "2" }, { N: "3" }] } } } };
const set = (attributes: Item, values: Item = two) => ({ expression: "SET a = :v", values, attributes });
const inMap = (entries: Item): Item => ({ m: { M: entries } });

const whole: readonly Row[] = [
  { returns: "NONE", what: "gives nothing back", before: ab, expression: "SET a = :v", values: two },
  { returns: "ALL_OLD", what: "gives the whole item as it was", before: ab, ...set(ab), withKey: true },
  { returns: "ALL_OLD", what: "gives nothing for a new item", expression: "SET a = :v", values: two },
  {
    returns: "ALL_NEW",
    what: "gives the whole item as it is now",
    before: ab,
    ...set({ a: { N: "2" }, b: { S: "x" } }),
    withKey: true,
  },
  { returns: "ALL_NEW", what: "gives a new item with its key", ...set({ a: { N: "2" } }), withKey: true },
  {
    returns: "UPDATED_OLD",
    what: "gives only what changes, as it was",
    before: ab,
    ...set({ a: { N: "1" } }),
  },
  {
    returns: "UPDATED_OLD",
    what: "gives a value that is overwritten by itself",
    before: ab,
    ...set({ a: { N: "1" } }, { ":v": { N: "1" } }),
  },
  {
    returns: "UPDATED_OLD",
    what: "gives removed attributes",
    before: ab,
    expression: "REMOVE b",
    attributes: { b: { S: "x" } },
  },
  {
    returns: "UPDATED_OLD",
    what: "gives nothing for a new attribute",
    before: ab,
    expression: "SET c = :v",
    values: two,
  },
  { returns: "UPDATED_OLD", what: "gives nothing for a new item", expression: "SET a = :v", values: two },
  {
    returns: "UPDATED_NEW",
    what: "gives only what changes, as it is now",
    before: ab,
    ...set({ a: { N: "2" } }),
  },
  { returns: "UPDATED_NEW", what: "gives no key for a new item", ...set({ a: { N: "2" } }) },
  {
    returns: "UPDATED_NEW",
    what: "gives the sum that ADD makes",
    before: ab,
    expression: "ADD a :v",
    values: two,
    attributes: { a: { N: "3" } },
  },
  {
    returns: "UPDATED_NEW",
    what: "gives nothing for a removed attribute",
    before: ab,
    expression: "REMOVE b",
  },
  {
    returns: "UPDATED_NEW",
    what: "gives set attributes and leaves removed ones out",
    before: ab,
    expression: "SET a = :v REMOVE b",
    values: two,
    attributes: { a: { N: "2" } },
  },
];

const nested: readonly Row[] = [
  {
    returns: "UPDATED_OLD",
    what: "gives one entry of a map in its place",
    before: document,
    expression: "SET m.a = :v",
    values: two,
    attributes: inMap({ a: { S: "old" } }),
    gap: topLevel,
  },
  {
    returns: "UPDATED_NEW",
    what: "gives one entry of a map in its place",
    before: document,
    expression: "SET m.a = :v",
    values: two,
    attributes: inMap({ a: { N: "2" } }),
    gap: topLevel,
  },
  {
    returns: "UPDATED_OLD",
    what: "gives one element of a list, alone in the list",
    before: document,
    expression: "SET m.l[1] = :v",
    values: { ":v": { N: "7" } },
    attributes: inMap({ l: { L: [{ N: "2" }] } }),
    gap: topLevel,
  },
  {
    returns: "UPDATED_NEW",
    what: "gives one element of a list, alone in the list",
    before: document,
    expression: "SET m.l[1] = :v",
    values: { ":v": { N: "7" } },
    attributes: inMap({ l: { L: [{ N: "7" }] } }),
    gap: topLevel,
  },
  {
    returns: "UPDATED_NEW",
    what: "gives a new entry of a map",
    before: document,
    expression: "SET m.b = :v",
    values: two,
    attributes: inMap({ b: { N: "2" } }),
    gap: topLevel,
  },
  {
    returns: "UPDATED_OLD",
    what: "gives nothing for a new entry of a map",
    before: document,
    expression: "SET m.b = :v",
    values: two,
  },
  {
    returns: "UPDATED_NEW",
    what: "gives nothing for an element past the end of a list",
    before: document,
    expression: "SET m.l[100] = :v",
    values: two,
  },
  {
    returns: "ALL_NEW",
    what: "gives the whole document after a nested change",
    before: document,
    expression: "SET m.l[0] = :v REMOVE m.a",
    values: two,
    attributes: inMap({ l: { L: [{ N: "2" }, { N: "2" }, { N: "3" }] } }),
    withKey: true,
  },
].map((row): Row => ({ source: suites, ...row }) as Row);

const updates: readonly PortCase[] = [...whole, ...nested].map((row) => ({
  name: `UpdateItem with ${row.returns} ${row.what}: ${row.expression}${row.before ? "" : " of an absent item"}`,
  source: row.source ?? source,
  ...localGap(row.gap),
  async run({ port, tables, unique }) {
    const TableName = tables.simple;
    const Key = { pk: { S: unique() } };
    if (row.before) await port.putItem({ TableName, Item: { ...row.before, ...Key } });
    const answer = await port.updateItem({
      TableName,
      Key,
      UpdateExpression: row.expression,
      ExpressionAttributeValues: row.values,
      ReturnValues: row.returns,
    });
    const expected = row.attributes && { ...row.attributes, ...(row.withKey ? Key : {}) };
    same(answer, expected ? { Attributes: expected } : {});
  },
}));

const onlyForUpdates: readonly ReturnValue[] = ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"];

export const returnValueCases: readonly PortCase[] = [
  ...updates,
  {
    name: "PutItem with ALL_OLD gives the item that it replaces, and nothing for a new one",
    source: "AWS: API_PutItem, ReturnValues",
    async run({ port, tables, unique }) {
      const Item = { pk: { S: unique() }, ...ab };
      const put = () => port.putItem({ TableName: tables.simple, Item, ReturnValues: "ALL_OLD" });
      same(await put(), {});
      same(await put(), { Attributes: Item });
    },
  },
  {
    name: "DeleteItem with ALL_OLD gives the item that it deletes, and nothing for an absent one",
    source: "AWS: API_DeleteItem, ReturnValues",
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      const remove = async () => {
        const { Attributes } = await port.deleteItem({
          TableName: tables.simple,
          Key,
          ReturnValues: "ALL_OLD",
        });
        return Attributes;
      };
      same(await remove(), undefined);
      await port.putItem({ TableName: tables.simple, Item: { ...Key, ...ab } });
      same(await remove(), { ...Key, ...ab });
    },
  },
  ...onlyForUpdates.map(
    (ReturnValues): PortCase => ({
      name: `PutItem and DeleteItem refuse ReturnValues ${ReturnValues}`,
      source: "AWS: API_PutItem and API_DeleteItem, ReturnValues",
      async run({ port, tables, unique }) {
        const Key = { pk: { S: unique() } };
        await refuses(
          port.putItem({ TableName: tables.simple, Item: Key, ReturnValues }),
          "ValidationException",
        );
        await refuses(
          port.deleteItem({ TableName: tables.simple, Key, ReturnValues }),
          "ValidationException",
        );
      },
    }),
  ),
];
