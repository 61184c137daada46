import type { Item } from "@tablekeep/core";
import { b, n, pk, s } from "../attribute-values.ts";
import { cases, type Row, type Step } from "../case-table.ts";
import { rejects, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const limits = "AWS docs: Constraints, partition keys and sort keys";
const suites = "public conformance suites";

/** A string of `bytes` bytes that starts with a unique one. */
const padded = (start: string, bytes: number) => start.padEnd(bytes, "k");

/** The operations by key. */
const byKey: Record<string, (Key: Item, TableName: string) => Step> = {
  GetItem: (Key, TableName) => ({ getItem: { TableName, Key } }),
  UpdateItem: (Key, TableName) => ({ updateItem: { TableName, Key } }),
  DeleteItem: (Key, TableName) => ({ deleteItem: { TableName, Key } }),
};

/** What is wrong with a key of the table `composite`. */
const wrongKeys: readonly (readonly [what: string, key: Item])[] = [
  ["no sort key", { pk }],
  ["no partition key", { sk: pk }],
  ["a partition key of another type", { pk: n(1), sk: s("a") }],
  ["a sort key of another type", { pk, sk: b(1) }],
  ["a sort key that is null", { pk, sk: { NULL: true } }],
  ["a sort key of 1,025 bytes", { pk, sk: s(padded("", 1025)) }],
  ["a partition key of 2,049 bytes", { pk: s(padded("", 2049)), sk: s("a") }],
];

const empty = (kind: string, key: string) =>
  `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${kind} value. Key: ${key}`;

export const keyCases: readonly PortCase[] = cases({ source: limits, table: "composite" }, [
  ...wrongKeys.flatMap(([what, key]): Row[] => [
    { name: `PutItem rejects ${what}`, source: `${limits}; ${suites}`, putItem: { Item: { ...key, other: n(1) } }, rejected: "" },
    {
      name: `GetItem, UpdateItem and DeleteItem reject ${what}`,
      source: `${limits}; ${suites}`,
      steps: Object.values(byKey).map((call) => ({ ...call(key, "$composite"), rejected: "" })),
    },
  ]),
  ...Object.entries(byKey).flatMap(([operation, call]): Row[] => [
    {
      name: `${operation} rejects a key with an attribute too many`,
      source: suites,
      ...call({ pk, other: s("a") }, "$simple"),
      rejected: "",
    },
    {
      name: `${operation} rejects an empty key value`,
      source: `${limits}; ${suites}`,
      steps: [
        { ...call({ pk: s("") }, "$simple"), rejected: empty("string", "pk") },
        { ...call({ pk, sk: s("") }, "$composite"), rejected: empty("string", "sk") },
        { ...call({ pk: b(), b: b(1) }, "$binary"), rejected: empty("binary", "pk") },
      ],
    },
  ]),
  {
    name: "PutItem rejects an empty key value",
    source: `${limits}; ${suites}`,
    steps: [
      { putItem: { TableName: "$simple", Item: { pk: s("") } }, rejected: empty("string", "pk") },
      { putItem: { TableName: "$binary", Item: { pk: b(1), b: b() } }, rejected: empty("binary", "b") },
    ],
  },
  {
    name: "a partition key may have 2,048 bytes and a sort key 1,024",
    async run({ port, tables, unique }) {
      const Key = { pk: s(padded(unique(), 2048)), sk: s(padded("", 1024)) };
      await port.putItem({ TableName: tables.composite, Item: { ...Key, a: n(1) } });
      same(await port.getItem({ TableName: tables.composite, Key }), { Item: { ...Key, a: n(1) } });
      const neighbor = { ...Key, sk: s(`${padded("", 1023)}l`) };
      same(await port.getItem({ TableName: tables.composite, Key: neighbor }), {});
    },
  },
  {
    name: "the size of a key is that of its UTF-8 bytes",
    steps: [
      { putItem: { Item: { pk, sk: s("é".repeat(512)) } } },
      { putItem: { Item: { pk, sk: s(`${"é".repeat(512)}a`) } }, rejected: "" },
    ],
  },
  {
    name: "a binary key finds its item by its bytes",
    async run({ port, tables, unique }) {
      const key = { B: Uint8Array.from([0, 255, ...Buffer.from(unique())]) };
      const item = (...bytes: number[]): Item => ({ pk: key, b: b(...bytes), a: n(bytes.length) });
      for (const each of [item(0), item(0, 0), item(255)]) {
        await port.putItem({ TableName: tables.binary, Item: each });
      }
      const Key = { pk: key, b: b(0, 0) };
      same(await port.getItem({ TableName: tables.binary, Key }), { Item: item(0, 0) });
    },
  },
  {
    name: "a binary key may have 2,048 and 1,024 bytes, and no byte more",
    async run({ port, tables, unique }) {
      const put = (bytes: number, more: number) =>
        port.putItem({
          TableName: tables.binary,
          Item: { pk: { B: Buffer.from(padded(unique(), bytes)) }, b: { B: new Uint8Array(more) } },
        });
      await put(2048, 1024);
      await rejects(put(2049, 1024), "ValidationException");
      await rejects(put(2048, 1025), "ValidationException");
    },
  },
]);
