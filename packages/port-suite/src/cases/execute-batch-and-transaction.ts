import type { AttributeValue, Item } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { seed } from "../sample-rows.ts";

const s = (text: string): AttributeValue => ({ S: text });

async function get({ port, tables }: PortWorld, pk: AttributeValue): Promise<Item | undefined> {
  return (await port.getItem({ TableName: tables.simple, Key: { pk }, ConsistentRead: true })).Item;
}

/** Statements on the shared table `simple`. */
function statementsOn(table: string) {
  return {
    select: (pk: AttributeValue) => ({
      Statement: `SELECT * FROM "${table}" WHERE pk = ?`,
      Parameters: [pk],
    }),
    insert: (pk: AttributeValue) => ({
      Statement: `INSERT INTO "${table}" VALUE {'pk': ?}`,
      Parameters: [pk],
    }),
    increment: (pk: AttributeValue) => ({
      Statement: `UPDATE "${table}" SET n = n + 1 WHERE pk = ?`,
      Parameters: [pk],
    }),
    remove: (pk: AttributeValue) => ({ Statement: `DELETE FROM "${table}" WHERE pk = ?`, Parameters: [pk] }),
  };
}

const batch: readonly PortCase[] = [
  {
    name: "BatchExecuteStatement answers each SELECT at its place",
    source: "AWS: API_BatchExecuteStatement",
    async run({ port, tables, unique }) {
      const items = [
        { pk: s(unique()), a: s("1") },
        { pk: s(unique()), a: s("2") },
      ];
      await seed(port, tables.simple, items);
      const { select } = statementsOn(tables.simple);
      const { Responses } = await port.batchExecuteStatement({
        Statements: [items[1]?.pk ?? s(""), s(unique()), items[0]?.pk ?? s("")].map(select),
      });
      same(
        Responses?.map((response) => response.Item),
        [items[1], undefined, items[0]],
      );
      same(
        Responses?.map((response) => response.Error),
        [undefined, undefined, undefined],
      );
    },
  },
  {
    name: "BatchExecuteStatement writes each statement on its own",
    source: "AWS: API_BatchExecuteStatement",
    async run(world) {
      const { port, tables, unique } = world;
      const [fresh, counted, gone] = [s(unique()), s(unique()), s(unique())];
      await seed(port, tables.simple, [{ pk: counted, n: { N: "1" } }, { pk: gone }]);
      const { insert, increment, remove } = statementsOn(tables.simple);
      await port.batchExecuteStatement({ Statements: [insert(fresh), increment(counted), remove(gone)] });
      same(await get(world, fresh), { pk: fresh });
      same(await get(world, counted), { pk: counted, n: { N: "2" } });
      same(await get(world, gone), undefined);
    },
  },
  {
    name: "BatchExecuteStatement tells the error of each failed statement and runs the others",
    source: "public conformance suites",
    async run(world) {
      const { port, tables, unique } = world;
      const [taken, fresh] = [s(unique()), s(unique())];
      await seed(port, tables.simple, [{ pk: taken }]);
      const { insert, increment } = statementsOn(tables.simple);
      const { Responses } = await port.batchExecuteStatement({
        Statements: [
          insert(taken),
          insert(fresh),
          increment(s(unique())),
          { ...insert(taken), Statement: `INSERT INTO "${unique()}" VALUE {'pk': ?}` },
        ],
      });
      const codes = Responses?.map((response) => response.Error?.Code);
      same(codes, ["DuplicateItem", undefined, "ConditionalCheckFailed", "ResourceNotFound"]);
      same(await get(world, fresh), { pk: fresh });
    },
  },
  {
    name: "BatchExecuteStatement answers a malformed statement at its place",
    source: "public conformance suites",
    async run({ port, tables, unique }) {
      const item = { pk: s(unique()) };
      await seed(port, tables.simple, [item]);
      const { select } = statementsOn(tables.simple);
      const Statements = [{ Statement: `SLECT * FROM "${tables.simple}"` }, select(item.pk)];
      const { Responses } = await port.batchExecuteStatement({ Statements });
      same(
        Responses?.map((response) => response.Error?.Code),
        ["ValidationError", undefined],
      );
      same(Responses?.[1]?.Item, item);
    },
  },
  {
    name: "BatchExecuteStatement refuses an empty list",
    source: "AWS: API_BatchExecuteStatement",
    async run({ port }) {
      await refuses(port.batchExecuteStatement({ Statements: [] }), "ValidationException");
    },
  },
  {
    name: "BatchExecuteStatement takes 25 statements and refuses 26",
    source: "AWS: API_BatchExecuteStatement",
    async run({ port, tables, unique }) {
      const { select } = statementsOn(tables.simple);
      const Statements = Array.from({ length: 26 }, () => select(s(unique())));
      same((await port.batchExecuteStatement({ Statements: Statements.slice(1) })).Responses?.length, 25);
      await refuses(port.batchExecuteStatement({ Statements }), "ValidationException");
    },
  },
  {
    name: "BatchExecuteStatement refuses reads and writes together",
    source: "AWS docs: Running batch operations with PartiQL for DynamoDB",
    async run({ port, tables, unique }) {
      const { select, insert } = statementsOn(tables.simple);
      const Statements = [select(s(unique())), insert(s(unique()))];
      await refuses(port.batchExecuteStatement({ Statements }), "ValidationException");
    },
  },
];

const transaction: readonly PortCase[] = [
  {
    name: "ExecuteTransaction writes all of its statements",
    source: "AWS: API_ExecuteTransaction",
    async run(world) {
      const { port, tables, unique } = world;
      const [fresh, counted, gone] = [s(unique()), s(unique()), s(unique())];
      await seed(port, tables.simple, [{ pk: counted, n: { N: "1" } }, { pk: gone }]);
      const { insert, increment, remove } = statementsOn(tables.simple);
      await port.executeTransaction({
        TransactStatements: [insert(fresh), increment(counted), remove(gone)],
      });
      same(await get(world, fresh), { pk: fresh });
      same(await get(world, counted), { pk: counted, n: { N: "2" } });
      same(await get(world, gone), undefined);
    },
  },
  {
    name: "ExecuteTransaction writes nothing when one statement fails",
    source: "AWS: API_ExecuteTransaction",
    async run(world) {
      const { port, tables, unique } = world;
      const [taken, fresh, counted] = [s(unique()), s(unique()), s(unique())];
      await seed(port, tables.simple, [{ pk: taken }, { pk: counted, n: { N: "1" } }]);
      const { insert, increment } = statementsOn(tables.simple);
      const TransactStatements = [insert(fresh), increment(counted), insert(taken)];
      await refuses(port.executeTransaction({ TransactStatements }), "TransactionCanceledException");
      same(await get(world, fresh), undefined);
      same(await get(world, counted), { pk: counted, n: { N: "1" } });
    },
  },
  {
    name: "ExecuteTransaction tells which statement inserts an item that exists",
    source: "AWS: API_ExecuteTransaction",
    async run(world) {
      const { port, tables, unique } = world;
      const taken = s(unique());
      await seed(port, tables.simple, [{ pk: taken }]);
      const { insert } = statementsOn(tables.simple);
      const call = port.executeTransaction({ TransactStatements: [insert(s(unique())), insert(taken)] });
      const { details } = await refuses(call, "TransactionCanceledException");
      const codes = details.cancellationReasons?.map((reason) => reason.Code);
      same(codes, ["None", "DuplicateItem"]);
    },
    ...localGap("gives the reason ValidationError"),
  },
  {
    name: "ExecuteTransaction reads items in order",
    source: "AWS: API_ExecuteTransaction",
    async run({ port, tables, unique }) {
      const items = [
        { pk: s(unique()), a: s("1") },
        { pk: s(unique()), a: s("2") },
      ];
      await seed(port, tables.simple, items);
      const { select } = statementsOn(tables.simple);
      const { Responses } = await port.executeTransaction({
        TransactStatements: items.map(({ pk }) => select(pk)),
      });
      same(
        Responses,
        items.map((Item) => ({ Item })),
      );
    },
  },
  {
    name: "ExecuteTransaction with the token of an earlier success does nothing",
    source: "public conformance suites",
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      await seed(port, tables.simple, [{ pk, n: { N: "0" } }]);
      const request = {
        TransactStatements: [statementsOn(tables.simple).increment(pk)],
        ClientRequestToken: unique().slice(-36),
      };
      await port.executeTransaction(request);
      await port.executeTransaction(request);
      same(await get(world, pk), { pk, n: { N: "1" } });
    },
  },
  {
    name: "ExecuteTransaction refuses RETURNING",
    source: "public conformance suites",
    async run({ port, tables, unique }) {
      const { increment } = statementsOn(tables.simple);
      const statement = increment(s(unique()));
      const TransactStatements = [{ ...statement, Statement: `${statement.Statement} RETURNING ALL NEW *` }];
      const text = "RETURNING clause is not supported in ExecuteTransaction";
      await refuses(port.executeTransaction({ TransactStatements }), "ValidationException", text);
    },
  },
  {
    name: "ExecuteTransaction refuses an empty list",
    source: "AWS: API_ExecuteTransaction",
    async run({ port }) {
      await refuses(port.executeTransaction({ TransactStatements: [] }), "ValidationException");
    },
  },
];

export const executeBatchAndTransactionCases: readonly PortCase[] = [...batch, ...transaction];
