import type { AttributeValue, Item, TransactWriteItem } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { column, seed } from "../sample-rows.ts";

const api = "AWS: API_TransactWriteItems";
const s = (text: string): AttributeValue => ({ S: text });

async function get({ port, tables }: PortWorld, pk: AttributeValue): Promise<Item | undefined> {
  return (await port.getItem({ TableName: tables.simple, Key: { pk }, ConsistentRead: true })).Item;
}

/** Actions on the shared table `simple`. */
function actionsOn(TableName: string) {
  return {
    put: (Item: Item): TransactWriteItem => ({ Put: { TableName, Item } }),
    remove: (pk: AttributeValue): TransactWriteItem => ({ Delete: { TableName, Key: { pk } } }),
    increment: (pk: AttributeValue): TransactWriteItem => ({
      Update: {
        TableName,
        Key: { pk },
        UpdateExpression: "ADD n :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      },
    }),
    exists: (pk: AttributeValue): TransactWriteItem => ({
      ConditionCheck: { TableName, Key: { pk }, ConditionExpression: "attribute_exists(pk)" },
    }),
  };
}

export const transactWriteItemsCases: readonly PortCase[] = [
  {
    name: "TransactWriteItems puts, updates, deletes and checks in one",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const { put, remove, increment, exists } = actionsOn(tables.simple);
      const [fresh, counted, gone, checked] = [s(unique()), s(unique()), s(unique()), s(unique())];
      await seed(port, tables.simple, [{ pk: counted, n: { N: "4" } }, { pk: gone }, { pk: checked }]);
      const done = await port.transactWriteItems({
        TransactItems: [put({ pk: fresh, a: s("x") }), increment(counted), remove(gone), exists(checked)],
      });
      same(done, {});
      same(await get(world, fresh), { pk: fresh, a: s("x") });
      same(await get(world, counted), { pk: counted, n: { N: "5" } });
      same(await get(world, gone), undefined);
      same(await get(world, checked), { pk: checked });
    },
  },
  {
    name: "TransactWriteItems writes nothing when one action fails, wherever it stands",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const { put, remove, increment, exists } = actionsOn(tables.simple);
      const [fresh, counted, kept] = [s(unique()), s(unique()), s(unique())];
      await seed(port, tables.simple, [{ pk: counted, n: { N: "4" } }, { pk: kept }]);
      const writes = [put({ pk: fresh }), increment(counted), remove(kept)];
      for (let at = 0; at <= writes.length; at++) {
        const TransactItems = writes.toSpliced(at, 0, exists(s(unique())));
        await refuses(port.transactWriteItems({ TransactItems }), "TransactionCanceledException");
        same(await get(world, fresh), undefined);
        same(await get(world, counted), { pk: counted, n: { N: "4" } });
        same(await get(world, kept), { pk: kept });
      }
    },
  },
  {
    name: "TransactWriteItems spans tables",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      const row = { pk, sk: s("a") };
      await port.transactWriteItems({
        TransactItems: [
          { Put: { TableName: tables.simple, Item: { pk } } },
          { Put: { TableName: tables.composite, Item: row } },
        ],
      });
      same(await get(world, pk), { pk });
      const stored = await port.getItem({ TableName: tables.composite, Key: row, ConsistentRead: true });
      same(stored, { Item: row });
    },
  },
  {
    name: "TransactWriteItems takes 100 actions",
    source: api,
    async run({ port, tables, unique }) {
      const pk = s(unique());
      const rows = Array.from({ length: 100 }, (_, index) => ({ pk, n: { N: String(index) } }));
      await port.transactWriteItems({
        TransactItems: rows.map((Item) => ({ Put: { TableName: tables.numeric, Item } })),
      });
      const { Items } = await port.query({
        TableName: tables.numeric,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": pk },
        ConsistentRead: true,
      });
      same(column(Items, "n"), column(rows, "n"));
    },
  },
  {
    name: "TransactWriteItems refuses 101 actions",
    source: api,
    async run({ port, tables, unique }) {
      const pk = s(unique());
      const TransactItems = Array.from({ length: 101 }, (_, index) => ({
        Put: { TableName: tables.numeric, Item: { pk, n: { N: String(index) } } },
      }));
      const text = "Member must have length less than or equal to 100";
      await refuses(port.transactWriteItems({ TransactItems }), "ValidationException", text);
    },
  },
  {
    name: "TransactWriteItems refuses an empty list",
    source: api,
    async run({ port }) {
      const text = "Member must have length greater than or equal to 1";
      await refuses(port.transactWriteItems({ TransactItems: [] }), "ValidationException", text);
    },
  },
  {
    name: "TransactWriteItems refuses more than 4 MB",
    source: "AWS: API_TransactWriteItems; the wording is that of DynamoDB Local",
    async run(world) {
      const { port, tables, unique } = world;
      const keys = Array.from({ length: 11 }, () => s(unique()));
      const TransactItems = keys.map((pk) => ({
        Put: { TableName: tables.simple, Item: { pk, fill: s("x".repeat(395_000)) } },
      }));
      const text = "Transaction payload size cannot exceed 4MB. Payload Size: ";
      await refuses(port.transactWriteItems({ TransactItems }), "ValidationException", text);
      same(await get(world, keys[0] ?? s("")), undefined);
    },
  },
  ...(["put", "remove", "increment"] as const).map(
    (second): PortCase => ({
      name: `TransactWriteItems refuses to ${{ put: "put", remove: "delete", increment: "update" }[second]} an item that it also checks`,
      source: api,
      async run({ port, tables, unique }) {
        const pk = s(unique());
        const actions = actionsOn(tables.simple);
        await seed(port, tables.simple, [{ pk }]);
        const write = second === "put" ? actions.put({ pk }) : actions[second](pk);
        const text = "Transaction request cannot include multiple operations on one item";
        const twice = port.transactWriteItems({ TransactItems: [actions.exists(pk), write] });
        await refuses(twice, "ValidationException", text);
      },
    }),
  ),
  {
    name: "TransactWriteItems finds numbers that are written differently to be the same item",
    source: "DynamoDB Local; AWS docs: numbers are one value however they are written",
    async run({ port, tables, unique }) {
      const pk = s(unique());
      const TransactItems = ["1", "1.0"].map((n) => ({
        Put: { TableName: tables.numeric, Item: { pk, n: { N: n } } },
      }));
      const text = "Transaction request cannot include multiple operations on one item";
      await refuses(port.transactWriteItems({ TransactItems }), "ValidationException", text);
    },
  },
  {
    name: "TransactWriteItems evaluates every condition against the state before the transaction",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const { put } = actionsOn(tables.simple);
      const [one, two] = [s(unique()), s(unique())];
      const onlyIfNew = (action: TransactWriteItem): TransactWriteItem => ({
        Put: {
          TableName: tables.simple,
          Item: action.Put?.Item,
          ConditionExpression: "attribute_not_exists(pk)",
        },
      });
      await port.transactWriteItems({
        TransactItems: [onlyIfNew(put({ pk: one })), onlyIfNew(put({ pk: two }))],
      });
      same([await get(world, one), await get(world, two)], [{ pk: one }, { pk: two }]);
    },
  },
  {
    name: "TransactWriteItems with the token of an earlier success answers and does nothing",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      const request = {
        TransactItems: [actionsOn(tables.simple).increment(pk)],
        ClientRequestToken: unique().slice(-36),
      };
      for (let round = 0; round < 3; round++) same(await port.transactWriteItems(request), {});
      same(await get(world, pk), { pk, n: { N: "1" } });
    },
  },
  {
    name: "TransactWriteItems refuses the token of an earlier success with another payload",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const [one, two] = [s(unique()), s(unique())];
      const ClientRequestToken = unique().slice(-36);
      const { put } = actionsOn(tables.simple);
      await port.transactWriteItems({ TransactItems: [put({ pk: one })], ClientRequestToken });
      const other = port.transactWriteItems({ TransactItems: [put({ pk: two })], ClientRequestToken });
      await refuses(other, "IdempotentParameterMismatchException");
      same(await get(world, two), undefined);
    },
  },
  {
    name: "TransactWriteItems with different tokens runs twice",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      const TransactItems = [actionsOn(tables.simple).increment(pk)];
      await port.transactWriteItems({ TransactItems, ClientRequestToken: unique().slice(-36) });
      await port.transactWriteItems({ TransactItems, ClientRequestToken: unique().slice(-36) });
      same(await get(world, pk), { pk, n: { N: "2" } });
    },
  },
  {
    name: "TransactWriteItems may be tried again with the token of a cancelled attempt",
    source: `${api}, ClientRequestToken; DynamoDB Local`,
    async run(world) {
      const { port, tables, unique } = world;
      const [checked, counted] = [s(unique()), s(unique())];
      const { exists, increment } = actionsOn(tables.simple);
      const request = {
        TransactItems: [exists(checked), increment(counted)],
        ClientRequestToken: unique().slice(-36),
      };
      await refuses(port.transactWriteItems(request), "TransactionCanceledException");
      await port.putItem({ TableName: tables.simple, Item: { pk: checked } });
      await port.transactWriteItems(request);
      same(await get(world, counted), { pk: counted, n: { N: "1" } });
    },
  },
  {
    name: "TransactWriteItems refuses a token of 37 characters",
    source: api,
    async run({ port, tables, unique }) {
      const TransactItems = [actionsOn(tables.simple).put({ pk: s(unique()) })];
      const call = port.transactWriteItems({ TransactItems, ClientRequestToken: "x".repeat(37) });
      await refuses(call, "ValidationException", "Member must have length less than or equal to 36");
    },
  },
];
