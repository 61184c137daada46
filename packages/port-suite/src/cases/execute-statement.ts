import assert from "node:assert/strict";
import type { AttributeValue, ExecuteStatementInput, Item } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { column, seed, seedPartition } from "../sample-rows.ts";

const api = "AWS docs: PartiQL - a SQL-compatible query language for Amazon DynamoDB";
const s = (text: string): AttributeValue => ({ S: text });

/** All rows of a SELECT. A page may be empty and yet have a token: DynamoDB filters what it has read. */
async function rows(world: PortWorld, Statement: string, ...Parameters: AttributeValue[]): Promise<Item[]> {
  const input: ExecuteStatementInput = { Statement, ConsistentRead: true };
  if (Parameters.length > 0) input.Parameters = Parameters;
  const all: Item[] = [];
  let NextToken: string | undefined;
  for (let page = 0; page < 1_000; page++) {
    const answer = await world.port.executeStatement({ ...input, NextToken });
    all.push(...(answer.Items ?? []));
    NextToken = answer.NextToken;
    if (NextToken === undefined) return all;
  }
  throw new Error("the SELECT does not end");
}

async function run(world: PortWorld, Statement: string, ...Parameters: AttributeValue[]): Promise<void> {
  await world.port.executeStatement(Parameters.length === 0 ? { Statement } : { Statement, Parameters });
}

async function get({ port, tables }: PortWorld, pk: AttributeValue): Promise<Item | undefined> {
  return (await port.getItem({ TableName: tables.simple, Key: { pk }, ConsistentRead: true })).Item;
}

function letters(world: PortWorld): Promise<{ S: string }> {
  return seedPartition(world, ["a", "b", "c", "d"], (_, index) => ({
    n: { N: String(index + 1) },
    m: { M: { x: { L: [{ N: String(index) }] } } },
    ...(index % 2 === 0 ? { odd: { BOOL: true } } : {}),
  }));
}

/** What each condition beside `pk = ?` selects of a, b, c, d. */
const conditions: readonly { condition: string; parameters?: AttributeValue[]; selects: string }[] = [
  { condition: "sk = 'b'", selects: "b" },
  { condition: "sk > ?", parameters: [s("b")], selects: "cd" },
  { condition: "sk BETWEEN 'b' AND 'c'", selects: "bc" },
  { condition: "begins_with(sk, 'c')", selects: "c" },
  { condition: "n >= 3", selects: "cd" },
  { condition: "n <> 1 AND n < 4", selects: "bc" },
  { condition: "(n = 1 OR n = ?)", parameters: [{ N: "4" }], selects: "ad" },
  { condition: "n IN [1, 2]", selects: "ab" },
  { condition: "odd IS NOT MISSING", selects: "ac" },
  { condition: "odd IS MISSING", selects: "bd" },
  { condition: "NOT n = 1", selects: "bcd" },
  { condition: "m.x[0] = 2", selects: "c" },
  { condition: "attribute_type(n, 'N')", selects: "abcd" },
  { condition: "size(sk) = 1", selects: "abcd" },
];

const refusals: readonly {
  what: string;
  statement: (table: string) => string;
  parameters?: AttributeValue[];
  text?: string;
  gap?: string;
}[] = [
  {
    what: "a statement that is none",
    statement: () => "SLECT *",
    text: "Statement wasn't well formed, can't be processed",
  },
  { what: "an empty statement", statement: () => "" },
  {
    what: "an UPDATE without the whole key",
    statement: (table) => `UPDATE "${table}" SET a = 1 WHERE pk = 'p'`,
  },
  { what: "a DELETE without key", statement: (table) => `DELETE FROM "${table}" WHERE a = 1` },
  { what: "an INSERT without the key", statement: (table) => `INSERT INTO "${table}" VALUE {'a': 1}` },
  {
    what: "too few parameters",
    statement: (table) => `SELECT * FROM "${table}" WHERE pk = ? AND sk = ?`,
    parameters: [s("p")],
  },
  {
    what: "an index that does not exist",
    statement: (table) => `SELECT * FROM "${table}"."no-such-index" WHERE pk = 'p'`,
    text: "The table does not have the specified index",
  },
];

export const executeStatementCases: readonly PortCase[] = [
  ...conditions.map(
    ({ condition, parameters, selects }): PortCase => ({
      name: `SELECT keeps ${selects} by ${condition}`,
      source: `${api}, SELECT`,
      async run(world) {
        const pk = await letters(world);
        const statement = `SELECT sk FROM "${world.tables.composite}" WHERE pk = ? AND ${condition}`;
        same(column(await rows(world, statement, pk, ...(parameters ?? [])), "sk").join(""), selects);
      },
    }),
  ),
  ...refusals.map(
    ({ what, statement, parameters, text, gap }): PortCase => ({
      name: `ExecuteStatement refuses ${what}`,
      source: `${api}; public conformance suites`,
      async run({ port, tables }) {
        const input = {
          Statement: statement(tables.composite),
          ...(parameters && { Parameters: parameters }),
        };
        await refuses(port.executeStatement(input), "ValidationException", text);
      },
      ...localGap(gap),
    }),
  ),
  {
    name: "SELECT gives whole items, or the paths that it names",
    source: `${api}, SELECT`,
    async run(world) {
      const pk = await letters(world);
      const table = world.tables.composite;
      const item = { pk, sk: s("b"), n: { N: "2" }, m: { M: { x: { L: [{ N: "1" }] } } } };
      same(await rows(world, `SELECT * FROM "${table}" WHERE pk = ? AND sk = 'b'`, pk), [item]);
      same(await rows(world, `SELECT n, sk FROM "${table}" WHERE pk = ? AND sk = 'b'`, pk), [
        { n: { N: "2" }, sk: s("b") },
      ]);
    },
  },
  {
    name: "SELECT orders by the sort key both ways",
    source: `${api}, SELECT`,
    async run(world) {
      const pk = await letters(world);
      const select = `SELECT * FROM "${world.tables.composite}" WHERE pk = ? ORDER BY sk`;
      same(column(await rows(world, select, pk), "sk"), ["a", "b", "c", "d"]);
      same(column(await rows(world, `${select} DESC`, pk), "sk"), ["d", "c", "b", "a"]);
    },
  },
  {
    name: "SELECT pages by Limit and NextToken",
    source: "AWS: API_ExecuteStatement",
    async run(world) {
      const pk = await letters(world);
      const Statement = `SELECT sk FROM "${world.tables.composite}" WHERE pk = ?`;
      const seen: (string | undefined)[][] = [];
      let NextToken: string | undefined;
      for (let round = 0; round < 10; round++) {
        const page = await world.port.executeStatement({ Statement, Parameters: [pk], Limit: 3, NextToken });
        seen.push(column(page.Items, "sk"));
        NextToken = page.NextToken;
        if (NextToken === undefined) break;
      }
      same(seen, [["a", "b", "c"], ["d"]]);
    },
  },
  {
    name: "SELECT reads a global index",
    source: `${api}, SELECT`,
    async run(world) {
      const { port, tables, unique } = world;
      const g = s(unique());
      const keys = [unique(), unique()].map((pk) => ({ pk: s(pk), sk: s("1") }));
      await seed(
        port,
        tables.indexed,
        keys.map((key, index) => ({ ...key, g, h: { N: String(9 + index) } })),
      );
      const statement = `SELECT h FROM "${tables.indexed}"."by-g-h" WHERE g = ?`;
      const read = async () =>
        (await port.executeStatement({ Statement: statement, Parameters: [g] })).Items ?? [];
      await world.eventually("the index has both", async () => (await read()).length === 2);
      same(column(await read(), "h"), ["9", "10"]);
    },
  },
  {
    name: "INSERT stores values of every type, literal and given",
    source: `${api}, INSERT`,
    async run(world) {
      const pk = s(world.unique());
      const statement = `INSERT INTO "${world.tables.simple}" VALUE {'pk': ?, 'b': ?, 'n': 1.50, 'l': [1, 'x', true, null], 'm': {'k': 'v'}, 't': <<'a', 'b'>>}`;
      await run(world, statement, pk, { B: Uint8Array.from([0, 255]) });
      same(await get(world, pk), {
        pk,
        b: { B: Uint8Array.from([0, 255]) },
        n: { N: "1.5" },
        l: { L: [{ N: "1" }, s("x"), { BOOL: true }, { NULL: true }] },
        m: { M: { k: s("v") } },
        t: { SS: ["a", "b"] },
      });
    },
  },
  {
    name: "INSERT of an item that exists changes nothing",
    source: `${api}, INSERT`,
    async run(world) {
      const pk = s(world.unique());
      const insert = `INSERT INTO "${world.tables.simple}" VALUE {'pk': ?, 'a': ?}`;
      await run(world, insert, pk, s("first"));
      await assert.rejects(run(world, insert, pk, s("second")));
      same(await get(world, pk), { pk, a: s("first") });
    },
  },
  {
    name: "INSERT of an item that exists is refused with DuplicateItemException",
    source: `${api}, INSERT`,
    async run(world) {
      const insert = `INSERT INTO "${world.tables.simple}" VALUE {'pk': ?}`;
      const pk = s(world.unique());
      await run(world, insert, pk);
      await refuses(run(world, insert, pk), "DuplicateItemException");
    },
    ...localGap("calls the exception DuplicateItem"),
  },
  {
    name: "UPDATE sets and removes attributes of one item",
    source: `${api}, UPDATE`,
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      await seed(port, tables.simple, [{ pk, n: { N: "1" }, gone: s("x"), l: { L: [s("a")] } }]);
      const update = `UPDATE "${tables.simple}" SET n = n + ? SET l = list_append(l, ['b']) REMOVE gone WHERE pk = ?`;
      await run(world, update, { N: "2" }, pk);
      same(await get(world, pk), { pk, n: { N: "3" }, l: { L: [s("a"), s("b")] } });
    },
  },
  {
    name: "UPDATE of an absent item is refused: it creates none",
    source: `${api}, UPDATE`,
    async run(world) {
      const pk = s(world.unique());
      const update = run(world, `UPDATE "${world.tables.simple}" SET a = 1 WHERE pk = ?`, pk);
      await refuses(update, "ConditionalCheckFailedException");
      same(await get(world, pk), undefined);
    },
  },
  {
    name: "UPDATE under a further condition that does not hold is refused",
    source: `${api}, UPDATE`,
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      await seed(port, tables.simple, [{ pk, n: { N: "1" } }]);
      const update = run(world, `UPDATE "${tables.simple}" SET n = 2 WHERE pk = ? AND n = 5`, pk);
      await refuses(update, "ConditionalCheckFailedException");
      same(await get(world, pk), { pk, n: { N: "1" } });
    },
  },
  {
    name: "UPDATE gives what RETURNING asks for",
    source: `${api}, UPDATE`,
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      await seed(port, tables.simple, [{ pk, n: { N: "1" }, a: s("x") }]);
      const update = async (returning: string) =>
        (
          await port.executeStatement({
            Statement: `UPDATE "${tables.simple}" SET n = n + 1 WHERE pk = ? RETURNING ${returning} *`,
            Parameters: [pk],
          })
        ).Items;
      same(await update("ALL OLD"), [{ pk, n: { N: "1" }, a: s("x") }]);
      same(await update("ALL NEW"), [{ pk, n: { N: "3" }, a: s("x") }]);
      same(await update("MODIFIED OLD"), [{ n: { N: "3" } }]);
      same(await update("MODIFIED NEW"), [{ n: { N: "5" } }]);
    },
  },
  {
    name: "DELETE removes one item and gives it when asked",
    source: `${api}, DELETE`,
    async run(world) {
      const { port, tables, unique } = world;
      const item = { pk: s(unique()), a: s("x") };
      await seed(port, tables.simple, [item]);
      const Statement = `DELETE FROM "${tables.simple}" WHERE pk = ? RETURNING ALL OLD *`;
      same((await port.executeStatement({ Statement, Parameters: [item.pk] })).Items, [item]);
      same(await get(world, item.pk), undefined);
    },
  },
  {
    name: "DELETE of an absent item succeeds",
    source: `${api}, DELETE`,
    async run(world) {
      await run(world, `DELETE FROM "${world.tables.simple}" WHERE pk = ?`, s(world.unique()));
    },
  },
];
