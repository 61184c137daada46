import assert from "node:assert/strict";
import type { AttributeValue, Item } from "@tablekeep/core";
import { b, l, m, n, pk, s, ss } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS docs: PartiQL - a SQL-compatible query language for Amazon DynamoDB";

/** A statement on the shared tables, and its parameters. */
const of = (Statement: string, ...Parameters: AttributeValue[]) => ({
  executeStatement: { Statement, ...(Parameters.length > 0 && { Parameters }) },
});

/** All rows of a SELECT. A page may be empty and yet have a token: DynamoDB filters what it has read. */
const rowsOf = (Statement: string, ...Parameters: AttributeValue[]) => ({
  executeStatement: { Statement, Parameters, ConsistentRead: true },
  allPages: true,
});

const letters = {
  composite: ["a", "b", "c", "d"].map((sk, index) => ({
    pk,
    sk: s(sk),
    n: n(index + 1),
    m: m({ x: l(n(index)) }),
    ...(index % 2 === 0 && { odd: { BOOL: true } }),
  })),
};
const second = letters.composite[1];

/** What each condition beside `pk = ?` selects of a, b, c, d. */
const conditions: readonly (readonly [condition: string, selects: string, parameter?: AttributeValue])[] = [
  ["sk = 'b'", "b"],
  ["sk > ?", "cd", s("b")],
  ["sk BETWEEN 'b' AND 'c'", "bc"],
  ["begins_with(sk, 'c')", "c"],
  ["n >= 3", "cd"],
  ["n <> 1 AND n < 4", "bc"],
  ["(n = 1 OR n = ?)", "ad", n(4)],
  ["n IN [1, 2]", "ab"],
  ["odd IS NOT MISSING", "ac"],
  ["odd IS MISSING", "bd"],
  ["NOT n = 1", "bcd"],
  ["m.x[0] = 2", "c"],
  ["attribute_type(n, 'N')", "abcd"],
  ["size(sk) = 1", "abcd"],
];

const rejections: readonly (readonly [what: string, statement: string, says?: string])[] = [
  ["a malformed statement", "SLECT *", "Statement wasn't well formed, can't be processed"],
  ["an empty statement", ""],
  ["an UPDATE without the whole key", `UPDATE "$composite" SET a = 1 WHERE pk = 'p'`],
  ["a DELETE without key", 'DELETE FROM "$composite" WHERE a = 1'],
  ["an INSERT without the key", `INSERT INTO "$composite" VALUE {'a': 1}`],
  [
    "an index that does not exist",
    `SELECT * FROM "$composite"."no-such-index" WHERE pk = 'p'`,
    "The table does not have the specified index",
  ],
];

const select: readonly Row[] = [
  ...conditions.map(
    ([condition, selects, parameter]): Row => ({
      name: `SELECT keeps ${selects} by ${condition}`,
      ...rowsOf(`SELECT sk FROM "$composite" WHERE pk = ? AND ${condition}`, pk, ...(parameter ? [parameter] : [])),
      shows: { Items: selects.split("").map((sk) => ({ sk: s(sk) })) },
    }),
  ),
  {
    name: "SELECT returns whole items, or the paths that it names",
    steps: [
      { ...rowsOf(`SELECT * FROM "$composite" WHERE pk = ? AND sk = 'b'`, pk), shows: { Items: [second] } },
      { ...rowsOf(`SELECT n, sk FROM "$composite" WHERE pk = ? AND sk = 'b'`, pk), shows: { Items: [{ n: n(2), sk: s("b") }] } },
    ],
  },
  {
    name: "SELECT orders by the sort key both ways",
    steps: [
      { ...rowsOf('SELECT * FROM "$composite" WHERE pk = ? ORDER BY sk', pk), shows: { "Items.*.sk.S": ["a", "b", "c", "d"] } },
      {
        ...rowsOf('SELECT * FROM "$composite" WHERE pk = ? ORDER BY sk DESC', pk),
        shows: { "Items.*.sk.S": ["d", "c", "b", "a"] },
      },
    ],
  },
  {
    name: "SELECT pages by Limit and NextToken",
    source: "AWS: API_ExecuteStatement",
    executeStatement: { Statement: 'SELECT sk FROM "$composite" WHERE pk = ?', Parameters: [pk], Limit: 3 },
    allPages: true,
    shows: { "Pages.*.*.sk.S": [["a", "b", "c"], ["d"]] },
  },
];

const insert = (a: string) => of(`INSERT INTO "$simple" VALUE {'pk': ?, 'a': ?}`, pk, s(a));
const one: Item = { pk, n: n(1), a: s("x") };
const incrementReturning = (what: string) => of(`UPDATE "$simple" SET n = n + 1 WHERE pk = ? RETURNING ${what} *`, pk);

const inserts: readonly Row[] = [
  {
    name: "INSERT stores values of every type, literal and given",
    ...of(
      `INSERT INTO "$simple" VALUE {'pk': ?, 'b': ?, 'n': 1.50, 'l': [1, 'x', true, null], 'm': {'k': 'v'}, 't': <<'a', 'b'>>}`,
      pk,
      b(0, 255),
    ),
    after: {
      simple: [
        {
          pk,
          b: b(0, 255),
          n: n("1.5"),
          l: l(n(1), s("x"), { BOOL: true }, { NULL: true }),
          m: m({ k: s("v") }),
          t: ss("a", "b"),
        },
      ],
    },
  },
  {
    name: "INSERT of an item that exists is rejected with DuplicateItemException",
    gap: "calls the exception DuplicateItem",
    steps: [insert("first"), { ...insert("second"), rejected: "DuplicateItemException" }],
    after: { simple: [{ pk, a: s("first") }] },
  },
];

const updates: readonly Row[] = [
  {
    name: "UPDATE sets and removes attributes of one item",
    given: { simple: [{ pk, n: n(1), gone: s("x"), l: l(s("a")) }] },
    ...of(`UPDATE "$simple" SET n = n + ? SET l = list_append(l, ['b']) REMOVE gone WHERE pk = ?`, n(2), pk),
    after: { simple: [{ pk, n: n(3), l: l(s("a"), s("b")) }] },
  },
  {
    name: "UPDATE of an absent item is rejected: it creates none",
    ...of('UPDATE "$simple" SET a = 1 WHERE pk = ?', pk),
    rejected: "ConditionalCheckFailedException",
    after: { simple: [] },
  },
  {
    name: "UPDATE under a further condition that does not hold is rejected",
    given: { simple: [one] },
    ...of('UPDATE "$simple" SET n = 2 WHERE pk = ? AND n = 5', pk),
    rejected: "ConditionalCheckFailedException",
    after: { simple: [one] },
  },
  {
    name: "UPDATE returns what RETURNING names",
    given: { simple: [one] },
    steps: [
      { ...incrementReturning("ALL OLD"), shows: { Items: [one] } },
      { ...incrementReturning("ALL NEW"), shows: { Items: [{ ...one, n: n(3) }] } },
      { ...incrementReturning("MODIFIED OLD"), shows: { Items: [{ n: n(3) }] } },
      { ...incrementReturning("MODIFIED NEW"), shows: { Items: [{ n: n(5) }] } },
    ],
  },
];

const deletes: readonly Row[] = [
  {
    name: "DELETE removes one item and returns it on request",
    given: { simple: [one] },
    ...of('DELETE FROM "$simple" WHERE pk = ? RETURNING ALL OLD *', pk),
    shows: { Items: [one] },
    after: { simple: [] },
  },
  { name: "DELETE of an absent item succeeds", ...of('DELETE FROM "$simple" WHERE pk = ?', pk) },
];

export const executeStatementCases: readonly PortCase[] = [
  ...cases({ source: `${api}, SELECT`, given: letters }, select),
  ...cases({ source: `${api}, SELECT` }, [
    {
      name: "SELECT reads a global index",
      given: { indexed: ["$one", "$two"].map((key, index) => ({ pk: s(key), sk: s("1"), g: s("$g"), h: n(9 + index) })) },
      ...of('SELECT h FROM "$indexed"."by-g-h" WHERE g = ?', s("$g")),
      shows: { Items: [{ h: n(9) }, { h: n(10) }] },
    },
  ]),
  ...cases({ source: `${api}; public conformance suites` }, [
    ...rejections.map(
      ([what, statement, says = ""]): Row => ({ name: `ExecuteStatement rejects ${what}`, ...of(statement), rejected: says }),
    ),
    {
      name: "ExecuteStatement rejects too few parameters",
      ...of('SELECT * FROM "$composite" WHERE pk = ? AND sk = ?', pk),
      rejected: "",
    },
  ]),
  ...cases({ source: `${api}, INSERT` }, [
    ...inserts,
    {
      name: "INSERT of an item that exists changes nothing",
      async run({ port, tables, unique }) {
        const key = { pk: s(unique()) };
        const add = (a: string) =>
          port.executeStatement({
            Statement: `INSERT INTO "${tables.simple}" VALUE {'pk': ?, 'a': ?}`,
            Parameters: [key.pk, s(a)],
          });
        await add("first");
        await assert.rejects(add("second"));
        const { Item } = await port.getItem({ TableName: tables.simple, Key: key, ConsistentRead: true });
        same(Item, { ...key, a: s("first") });
      },
    },
  ]),
  ...cases({ source: `${api}, UPDATE` }, updates),
  ...cases({ source: `${api}, DELETE` }, deletes),
];
