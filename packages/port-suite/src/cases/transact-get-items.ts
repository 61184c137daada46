import type { AttributeValue, Item, TransactGetItem, TransactGetItemsInput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { seed } from "../sample-rows.ts";

const api = "AWS: API_TransactGetItems";
const s = (text: string): AttributeValue => ({ S: text });

const malformed: readonly { what: string; get: (table: string) => TransactGetItem; text?: string }[] = [
  {
    what: "a syntax error in a projection",
    get: (TableName) => ({ Get: { TableName, Key: { pk: s("p") }, ProjectionExpression: "!!!" } }),
    text: 'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"',
  },
  {
    what: "an unused name",
    get: (TableName) => ({
      Get: {
        TableName,
        Key: { pk: s("p") },
        ProjectionExpression: "a",
        ExpressionAttributeNames: { "#x": "x" },
      },
    }),
    text: "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
  },
  {
    what: "an empty key value",
    get: (TableName) => ({ Get: { TableName, Key: { pk: s("") } } }),
    text: "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
  },
];

/** Writes eleven items, a little more than 4 MB together; returns their keys. */
async function seedFourMegabytes({ port, tables, unique }: PortWorld): Promise<string[]> {
  const keys = Array.from({ length: 11 }, () => unique());
  await seed(
    port,
    tables.simple,
    keys.map((key) => ({ pk: s(key), fill: s("x".repeat(395_000)) })),
  );
  return keys;
}

function getsOf({ tables }: PortWorld, keys: readonly string[], over: object = {}): TransactGetItemsInput {
  return {
    TransactItems: keys.map((key) => ({ Get: { TableName: tables.simple, Key: { pk: s(key) }, ...over } })),
  };
}

export const transactGetItemsCases: readonly PortCase[] = [
  {
    name: "TransactGetItems gives items of several tables in the order of the request",
    source: api,
    async run({ port, tables, unique }) {
      const one = { pk: s(unique()), a: s("one") };
      const row = { pk: s(unique()), sk: s("x"), a: s("two") };
      await seed(port, tables.simple, [one]);
      await seed(port, tables.composite, [row]);
      const { Responses } = await port.transactGetItems({
        TransactItems: [
          { Get: { TableName: tables.composite, Key: { pk: row.pk, sk: row.sk } } },
          { Get: { TableName: tables.simple, Key: { pk: one.pk } } },
        ],
      });
      same(Responses, [{ Item: row }, { Item: one }]);
    },
  },
  {
    name: "TransactGetItems gives an empty response at the place of an absent item",
    source: api,
    async run({ port, tables, unique }) {
      const item = { pk: s(unique()) };
      await seed(port, tables.simple, [item]);
      const { Responses } = await port.transactGetItems({
        TransactItems: [{ pk: s(unique()) }, item, { pk: s(unique()) }].map((Key) => ({
          Get: { TableName: tables.simple, Key },
        })),
      });
      same(Responses, [{}, { Item: item }, {}]);
    },
  },
  {
    name: "TransactGetItems projects each item",
    source: api,
    async run({ port, tables, unique }) {
      const item: Item = { pk: s(unique()), a: s("x"), m: { M: { b: s("y"), c: s("z") } } };
      await seed(port, tables.simple, [item]);
      const { Responses } = await port.transactGetItems({
        TransactItems: [
          {
            Get: {
              TableName: tables.simple,
              Key: { pk: item["pk"] ?? s("") },
              ProjectionExpression: "#m.b",
              ExpressionAttributeNames: { "#m": "m" },
            },
          },
        ],
      });
      same(Responses, [{ Item: { m: { M: { b: s("y") } } } }]);
    },
  },
  {
    name: "TransactGetItems sees a transaction that was acknowledged",
    source: api,
    async run({ port, tables, unique }) {
      const items = [
        { pk: s(unique()), a: s("1") },
        { pk: s(unique()), a: s("2") },
      ];
      await port.transactWriteItems({
        TransactItems: items.map((Item) => ({ Put: { TableName: tables.simple, Item } })),
      });
      const { Responses } = await port.transactGetItems({
        TransactItems: items.map(({ pk }) => ({ Get: { TableName: tables.simple, Key: { pk } } })),
      });
      same(
        Responses,
        items.map((Item) => ({ Item })),
      );
    },
  },
  {
    name: "TransactGetItems takes 100 gets and refuses 101",
    source: api,
    async run({ port, tables, unique }) {
      const gets = Array.from({ length: 101 }, () => ({
        Get: { TableName: tables.simple, Key: { pk: s(unique()) } },
      }));
      const { Responses } = await port.transactGetItems({ TransactItems: gets.slice(1) });
      same(Responses?.length, 100);
      const text = "Member must have length less than or equal to 100";
      await refuses(port.transactGetItems({ TransactItems: gets }), "ValidationException", text);
    },
  },
  {
    name: "TransactGetItems and ExecuteTransaction read up to 4 MB and refuse more",
    source: api,
    async run(world) {
      const keys = await seedFourMegabytes(world);
      const { Responses } = await world.port.transactGetItems(getsOf(world, keys.slice(1)));
      same(Responses?.length, 10);
      const text = "Payload in response is too large.";
      await refuses(world.port.transactGetItems(getsOf(world, keys)), "ValidationException", text);
      const statements = (read: readonly string[]) => ({
        TransactStatements: read.map((key) => ({
          Statement: `SELECT * FROM "${world.tables.simple}" WHERE pk = ?`,
          Parameters: [s(key)],
        })),
      });
      same((await world.port.executeTransaction(statements(keys.slice(1)))).Responses?.length, 10);
      await refuses(world.port.executeTransaction(statements(keys)), "ValidationException", text);
    },
  },
  {
    name: "TransactGetItems counts whole items towards its 4 MB, whatever is projected",
    source: "AWS: API_TransactGetItems (the aggregate size of the items in the transaction)",
    ...localGap("counts what the projection leaves"),
    async run(world) {
      const keys = await seedFourMegabytes(world);
      const gets = getsOf(world, keys, { ProjectionExpression: "pk" });
      await refuses(world.port.transactGetItems(gets), "ValidationException");
    },
  },
  {
    name: "TransactGetItems refuses an empty list",
    source: "public conformance suites",
    ...localGap("refuses with other words"),
    async run({ port }) {
      const text = "Member must have length greater than or equal to 1";
      await refuses(port.transactGetItems({ TransactItems: [] }), "ValidationException", text);
    },
  },
  {
    name: "TransactGetItems refuses to get one item twice",
    source: api,
    async run({ port, tables }) {
      const get = { Get: { TableName: tables.simple, Key: { pk: s("p") } } };
      const text = "Transaction request cannot include multiple operations on one item";
      await refuses(port.transactGetItems({ TransactItems: [get, get] }), "ValidationException", text);
    },
  },
  {
    name: "TransactGetItems is cancelled with ValidationError by a key that does not match the schema",
    source: "public conformance suites",
    async run({ port, tables }) {
      const call = port.transactGetItems({
        TransactItems: [
          { Get: { TableName: tables.simple, Key: { pk: s("p") } } },
          { Get: { TableName: tables.simple, Key: { pk: { N: "1" } } } },
        ],
      });
      const { details } = await refuses(call, "TransactionCanceledException", "[None, ValidationError]");
      same(
        details.cancellationReasons?.map((reason) => reason.Code),
        ["None", "ValidationError"],
      );
      same(details.cancellationReasons?.[1]?.Message, "The provided key element does not match the schema");
    },
    ...localGap("cancels with other words"),
  },
  ...malformed.map(
    ({ what, get, text }): PortCase => ({
      name: `TransactGetItems refuses ${what}`,
      source: "public conformance suites",
      async run({ port, tables }) {
        await refuses(
          port.transactGetItems({ TransactItems: [get(tables.simple)] }),
          "ValidationException",
          text,
        );
      },
    }),
  ),
];
