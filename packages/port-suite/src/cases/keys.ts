import type { DynamoPort, Item, Key } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const limits = "AWS docs: Constraints, partition keys and sort keys";
const suites = "public conformance suites";

/** A text of `bytes` bytes that starts with a unique one. */
const padded = (start: string, bytes: number) => start.padEnd(bytes, "k");

const byKey: Record<string, (port: DynamoPort, TableName: string, Key: Key) => Promise<unknown>> = {
  GetItem: (port, TableName, Key) => port.getItem({ TableName, Key }),
  UpdateItem: (port, TableName, Key) => port.updateItem({ TableName, Key }),
  DeleteItem: (port, TableName, Key) => port.deleteItem({ TableName, Key }),
};

/** What is wrong with a key of the table `composite`. */
const wrongKeys: readonly (readonly [what: string, key: (pk: string) => Item])[] = [
  ["no sort key", (pk) => ({ pk: { S: pk } })],
  ["no partition key", (pk) => ({ sk: { S: pk } })],
  ["a partition key of another type", () => ({ pk: { N: "1" }, sk: { S: "a" } })],
  ["a sort key of another type", (pk) => ({ pk: { S: pk }, sk: { B: Uint8Array.of(1) } })],
  ["a sort key that is null", (pk) => ({ pk: { S: pk }, sk: { NULL: true } })],
  ["a sort key of 1,025 bytes", (pk) => ({ pk: { S: pk }, sk: { S: padded("", 1025) } })],
  ["a partition key of 2,049 bytes", (pk) => ({ pk: { S: padded(pk, 2049) }, sk: { S: "a" } })],
];

const empty = (kind: string, key: string) =>
  `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${kind} value. Key: ${key}`;

const shapes: readonly PortCase[] = wrongKeys.flatMap(([what, key]): PortCase[] => [
  {
    name: `PutItem refuses ${what}`,
    source: `${limits}; ${suites}`,
    async run({ port, tables, unique }) {
      const Item = { ...key(unique()), other: { N: "1" } };
      await refuses(port.putItem({ TableName: tables.composite, Item }), "ValidationException");
    },
  },
  {
    name: `GetItem, UpdateItem and DeleteItem refuse ${what}`,
    source: `${limits}; ${suites}`,
    async run({ port, tables, unique }) {
      for (const call of Object.values(byKey)) {
        await refuses(call(port, tables.composite, key(unique())), "ValidationException");
      }
    },
  },
]);

export const keyCases: readonly PortCase[] = [
  ...shapes,
  ...Object.entries(byKey).map(
    ([operation, call]): PortCase => ({
      name: `${operation} refuses a key with an attribute too many`,
      source: suites,
      async run({ port, tables, unique }) {
        const key = { pk: { S: unique() }, other: { S: "a" } };
        await refuses(call(port, tables.simple, key), "ValidationException");
      },
    }),
  ),
  ...Object.entries(byKey).map(
    ([operation, call]): PortCase => ({
      name: `${operation} refuses an empty key value`,
      source: `${limits}; ${suites}`,
      async run({ port, tables, unique }) {
        await refuses(
          call(port, tables.simple, { pk: { S: "" } }),
          "ValidationException",
          empty("string", "pk"),
        );
        const emptySort = { pk: { S: unique() }, sk: { S: "" } };
        await refuses(call(port, tables.composite, emptySort), "ValidationException", empty("string", "sk"));
        const emptyBytes = { pk: { B: new Uint8Array() }, b: { B: Uint8Array.of(1) } };
        await refuses(call(port, tables.binary, emptyBytes), "ValidationException", empty("binary", "pk"));
      },
    }),
  ),
  {
    name: "PutItem refuses an empty key value",
    source: `${limits}; ${suites}`,
    async run({ port, tables, unique }) {
      const put = (TableName: string, Item: Item) => port.putItem({ TableName, Item });
      await refuses(put(tables.simple, { pk: { S: "" } }), "ValidationException", empty("string", "pk"));
      const emptyBytes = { pk: { B: Buffer.from(unique()) }, b: { B: new Uint8Array() } };
      await refuses(put(tables.binary, emptyBytes), "ValidationException", empty("binary", "b"));
    },
  },
  {
    name: "a partition key may have 2,048 bytes and a sort key 1,024",
    source: limits,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: padded(unique(), 2048) }, sk: { S: padded("", 1024) } };
      await port.putItem({ TableName: tables.composite, Item: { ...Key, a: { N: "1" } } });
      same(await port.getItem({ TableName: tables.composite, Key }), { Item: { ...Key, a: { N: "1" } } });
      const neighbour = { ...Key, sk: { S: `${padded("", 1023)}l` } };
      same(await port.getItem({ TableName: tables.composite, Key: neighbour }), {});
    },
  },
  {
    name: "the size of a key is that of its UTF-8 bytes",
    source: limits,
    async run({ port, tables, unique }) {
      const pk = { S: unique() };
      const put = (sk: string) => port.putItem({ TableName: tables.composite, Item: { pk, sk: { S: sk } } });
      await put("é".repeat(512));
      await refuses(put(`${"é".repeat(512)}a`), "ValidationException");
    },
  },
  {
    name: "a binary key finds its item by its bytes",
    source: limits,
    async run({ port, tables, unique }) {
      const pk = { B: Uint8Array.from([0, 255, ...Buffer.from(unique())]) };
      const item = (...b: number[]): Item => ({
        pk,
        b: { B: Uint8Array.from(b) },
        a: { N: String(b.length) },
      });
      for (const each of [item(0), item(0, 0), item(255)]) {
        await port.putItem({ TableName: tables.binary, Item: each });
      }
      const Key = { pk, b: { B: Uint8Array.of(0, 0) } };
      same(await port.getItem({ TableName: tables.binary, Key }), { Item: item(0, 0) });
    },
  },
  {
    name: "a binary key may have 2,048 and 1,024 bytes, and no byte more",
    source: limits,
    async run({ port, tables, unique }) {
      const put = (pk: number, b: number) =>
        port.putItem({
          TableName: tables.binary,
          Item: { pk: { B: Buffer.from(padded(unique(), pk)) }, b: { B: new Uint8Array(b) } },
        });
      await put(2048, 1024);
      await refuses(put(2049, 1024), "ValidationException");
      await refuses(put(2048, 1025), "ValidationException");
    },
  },
];
