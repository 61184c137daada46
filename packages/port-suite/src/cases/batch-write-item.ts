import type { AttributeValue, BatchWriteItemInput, Item, WriteRequest } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";
import { column, seed, seedPartition } from "../sample-rows.ts";

const api = "AWS: API_BatchWriteItem";
const s = (text: string): AttributeValue => ({ S: text });
const put = (Item: Item): WriteRequest => ({ PutRequest: { Item } });
const remove = (Key: Item): WriteRequest => ({ DeleteRequest: { Key } });

const puts = (pk: AttributeValue, count: number): WriteRequest[] =>
  Array.from({ length: count }, (_, index) => put({ pk, sk: s(String(index)) }));

/** Requests on a table with keys pk and sk (S) that are rejected as a whole. */
const refusals: readonly { what: string; requests: WriteRequest[]; text?: string; gap?: string }[] = [
  { what: "no requests for a table", requests: [] },
  { what: "26 requests", requests: puts(s("p"), 26) },
  {
    what: "two puts of one item",
    requests: [put({ pk: s("p"), sk: s("a") }), put({ pk: s("p"), sk: s("a"), x: s("x") })],
    text: "Provided list of item keys contains duplicates",
  },
  {
    what: "a put and a delete of one item",
    requests: [put({ pk: s("p"), sk: s("a") }), remove({ pk: s("p"), sk: s("a") })],
    text: "Provided list of item keys contains duplicates",
  },
  {
    what: "two deletes of one item",
    requests: [remove({ pk: s("p"), sk: s("a") }), remove({ pk: s("p"), sk: s("a") })],
    text: "Provided list of item keys contains duplicates",
  },
  {
    what: "a put without the sort key",
    requests: [put({ pk: s("p") })],
    text: "The provided key element does not match the schema",
    gap: "refuses with other words",
  },
  {
    what: "a delete without the sort key",
    requests: [remove({ pk: s("p") })],
    text: "The provided key element does not match the schema",
    gap: "refuses with other words",
  },
  {
    what: "a key of the wrong type",
    requests: [put({ pk: s("p"), sk: { N: "1" } })],
    text: "The provided key element does not match the schema",
    gap: "refuses with other words",
  },
  {
    what: "an empty key value",
    requests: [put({ pk: s("p"), sk: s("") })],
    text: "The AttributeValue for a key attribute cannot contain an empty string value. Key: sk",
  },
  { what: "an empty set", requests: [put({ pk: s("p"), sk: s("a"), t: { SS: [] } })] },
  {
    what: "a request that is neither put nor delete",
    requests: [{}],
    text: "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
  },
  {
    what: "an empty set after a key that does not fit",
    requests: [put({ pk: s("p") }), put({ pk: s("p"), sk: s("a"), t: { SS: [] } })],
    text: "An string set  may not be empty",
  },
  {
    what: "a request that is both put and delete",
    requests: [
      {
        PutRequest: { Item: { pk: s("p"), sk: s("a") } },
        DeleteRequest: { Key: { pk: s("p"), sk: s("b") } },
      },
    ],
  },
  {
    what: "an item of more than 400 KB",
    requests: [put({ pk: s("p"), sk: s("a"), fill: s("x".repeat(410_000)) })],
    text: "Item size has exceeded the maximum allowed size",
  },
];

export const batchWriteItemCases: readonly PortCase[] = [
  ...refusals.map(
    ({ what, requests, text, gap }): PortCase => ({
      name: `BatchWriteItem refuses ${what}`,
      source: `${api}; public conformance suites`,
      async run({ port, tables }) {
        const batch = port.batchWriteItem({ RequestItems: { [tables.composite]: requests } });
        await refuses(batch, "ValidationException", text);
      },
      ...localGap(gap),
    }),
  ),
  {
    name: "BatchWriteItem puts and deletes, and leaves nothing unprocessed",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const pk = await seedPartition(world, ["a", "b"]);
      const batch = await port.batchWriteItem({
        RequestItems: {
          [tables.composite]: [
            remove({ pk, sk: s("a") }),
            put({ pk, sk: s("b"), x: s("new") }),
            put({ pk, sk: s("c") }),
            remove({ pk, sk: s("absent") }),
          ],
        },
      });
      same(batch.UnprocessedItems, {});
      const { Items } = await port.query({
        TableName: tables.composite,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": pk },
        ConsistentRead: true,
      });
      same(Items, [
        { pk, sk: s("b"), x: s("new") },
        { pk, sk: s("c") },
      ]);
    },
  },
  {
    name: "BatchWriteItem replaces whole items",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const pk = await seedPartition(world, ["a"], () => ({ old: s("x") }));
      await seed(port, tables.composite, [{ pk, sk: s("a"), fresh: s("y") }]);
      const { Item } = await port.getItem({
        TableName: tables.composite,
        Key: { pk, sk: s("a") },
        ConsistentRead: true,
      });
      same(Item, { pk, sk: s("a"), fresh: s("y") });
    },
  },
  {
    name: "BatchWriteItem takes 25 requests",
    source: api,
    async run({ port, tables, unique }) {
      const pk = s(unique());
      await seed(
        port,
        tables.composite,
        puts(pk, 25).map((each) => each.PutRequest?.Item ?? {}),
      );
      const { Count } = await port.query({
        TableName: tables.composite,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": pk },
        ConsistentRead: true,
      });
      same(Count, 25);
    },
  },
  {
    name: "BatchWriteItem counts its 25 requests over all tables",
    source: api,
    async run({ port, tables }) {
      const RequestItems = {
        [tables.composite]: puts(s("p"), 25),
        [tables.simple]: [put({ pk: s("p") })],
      };
      await refuses(
        port.batchWriteItem({ RequestItems }),
        "ValidationException",
        "Too many items requested for the BatchWriteItem call",
      );
    },
  },
  {
    name: "BatchWriteItem writes several tables at once",
    source: api,
    async run({ port, tables, unique }) {
      const pk = s(unique());
      await port.batchWriteItem({
        RequestItems: { [tables.simple]: [put({ pk })], [tables.composite]: [put({ pk, sk: s("a") })] },
      });
      same(await port.getItem({ TableName: tables.simple, Key: { pk }, ConsistentRead: true }), {
        Item: { pk },
      });
      const Item = { pk, sk: s("a") };
      same(await port.getItem({ TableName: tables.composite, Key: Item, ConsistentRead: true }), { Item });
    },
  },
  {
    name: "BatchWriteItem takes the same key in two tables",
    source: api,
    async run({ port, tables, unique }) {
      const key = { pk: s(unique()), sk: s("a") };
      const RequestItems: BatchWriteItemInput["RequestItems"] = {
        [tables.composite]: [put(key)],
        [tables.indexed]: [put(key)],
      };
      same((await port.batchWriteItem({ RequestItems })).UnprocessedItems, {});
    },
  },
  {
    name: "BatchWriteItem finds numbers that are written differently to be the same key",
    source: "public conformance suites",
    async run({ port, tables }) {
      const requests = ["1", "1.0"].map((n) => put({ pk: s("p"), n: { N: n } }));
      const text = "Provided list of item keys contains duplicates";
      await refuses(
        port.batchWriteItem({ RequestItems: { [tables.numeric]: requests } }),
        "ValidationException",
        text,
      );
    },
  },
  {
    name: "BatchWriteItem refuses a request without tables",
    source: api,
    async run({ port }) {
      await refuses(port.batchWriteItem({ RequestItems: {} }), "ValidationException");
    },
  },
  {
    name: "BatchWriteItem that is refused writes nothing of it",
    source: api,
    async run({ port, tables, unique }) {
      const pk = s(unique());
      const requests = [put({ pk, sk: s("a") }), put({ pk, sk: { N: "1" } })];
      await refuses(
        port.batchWriteItem({ RequestItems: { [tables.composite]: requests } }),
        "ValidationException",
      );
      const { Items } = await port.query({
        TableName: tables.composite,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": pk },
        ConsistentRead: true,
      });
      same(column(Items, "sk"), []);
    },
  },
  {
    name: "BatchWriteItem keeps every type of attribute value",
    source: api,
    async run({ port, tables, unique }) {
      const item: Item = {
        pk: s(unique()),
        empty: s(""),
        number: { N: "123456789012345678901234567890.12345678" },
        bytes: { B: Uint8Array.from([0, 127, 128, 255]) },
        texts: { SS: ["b", "a"] },
        numbers: { NS: ["2", "-1"] },
        sets: { BS: [Uint8Array.from([255]), Uint8Array.from([0])] },
        list: { L: [{ NULL: true }, { BOOL: false }, { M: { deep: { L: [] } } }] },
        map: { M: {} },
      };
      await seed(port, tables.simple, [item]);
      const key = { pk: item["pk"] ?? s("") };
      same(await port.getItem({ TableName: tables.simple, Key: key, ConsistentRead: true }), { Item: item });
      const { Responses } = await port.batchGetItem({
        RequestItems: { [tables.simple]: { Keys: [key], ConsistentRead: true } },
      });
      same(Responses?.[tables.simple], [item]);
    },
  },
];
