import type { Item, QueryInput } from "@tablekeep/core";
import { b, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { seed } from "../sample-rows.ts";

/** A query of one partition. */
const of = (over: Partial<QueryInput> = {}, key: Item[""] = pk) => ({
  KeyConditionExpression: "pk = :p",
  ExpressionAttributeValues: { ":p": key },
  ConsistentRead: true,
  ...over,
});

const texts = (...sortKeys: string[]) => ({ composite: sortKeys.map((sk) => ({ pk, sk: s(sk) })) });

/** The largest and the smallest magnitude of a number. */
const largest = "9".repeat(38) + "0".repeat(88);
const smallest = `0.${"0".repeat(129)}1`;

/** Sort keys of type N, ascending. */
const numbers: readonly (readonly [what: string, ascending: string[]])[] = [
  ["with different digits", ["2", "9", "10", "100", "1000"]],
  ["below zero", ["-100", "-20", "-3", "-0.5", "0", "0.25", "7"]],
  ["of extreme magnitude", [`-${largest}`, "-1", `-${smallest}`, "0", smallest, "1", largest]],
  [
    "that differ in the 38th digit only",
    [
      "12345678901234567890123456789012345677",
      "12345678901234567890123456789012345678",
      "12345678901234567890123456789012345679",
    ],
  ],
  ["beyond the integers of a double", ["9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994"]],
];

// U+FFFD sorts after U+1F600 by UTF-16 code units, before it by UTF-8 bytes.
const byBytes = ["A", "B", "Z", "a", "aa", "z", "é", "\u{4e2d}", "\u{fffd}", "\u{1f600}"];
const alike = ["$x-", "$x-a", "$x-\u0000", "$x-b"].map(s);

export const queryOrderCases: readonly PortCase[] = cases({ source: "AWS: API_Query, ScanIndexForward", table: "composite" }, [
  ...numbers.flatMap(([what, ascending]) =>
    [true, false].map(
      (forward): Row => ({
        name: `Query orders numbers ${what} by value, ${forward ? "ascending" : "descending"}`,
        table: "numeric",
        given: { numeric: [...ascending].sort().map((each) => ({ pk, n: n(each) })) },
        query: of({ ScanIndexForward: forward }),
        shows: { "Items.*.n.N": forward ? ascending : [...ascending].reverse() },
      }),
    ),
  ),
  {
    name: "Query orders strings by their UTF-8 bytes",
    given: texts(...[...byBytes].reverse()),
    query: of(),
    shows: { "Items.*.sk.S": byBytes },
  },
  {
    name: "Query orders strings of digits as strings",
    given: texts("10", "9", "1", "2"),
    query: of(),
    shows: { "Items.*.sk.S": ["1", "10", "2", "9"] },
  },
  {
    name: "Query orders binary keys by unsigned bytes, a prefix first",
    async run({ port, tables, unique }) {
      const key = { B: Buffer.from(unique()) };
      const ascending = [[0], [0, 0], [1], [1, 0], [0x7f], [0x80], [0x80, 1], [0xff], [0xff, 0xff]];
      const rows = ascending.map((bytes) => ({ pk: key, b: b(...bytes) }));
      await seed(port, tables.binary, [...rows].reverse());
      same((await port.query({ TableName: tables.binary, ...of({}, key) })).Items, rows);
    },
  },
  {
    name: "Query orders ascending by default",
    given: texts("c", "a", "b"),
    steps: [
      { query: of(), shows: { "Items.*.sk.S": ["a", "b", "c"] } },
      { query: of({ ScanIndexForward: true }), shows: { "Items.*.sk.S": ["a", "b", "c"] } },
      { query: of({ ScanIndexForward: false }), shows: { "Items.*.sk.S": ["c", "b", "a"] } },
    ],
  },
  {
    name: "Query with ScanIndexForward false and Limit 1 returns the last item",
    table: "numeric",
    given: { numeric: [9, 10, 11, 100].map((each) => ({ pk, n: n(each) })) },
    query: of({ ScanIndexForward: false, Limit: 1 }),
    shows: { Items: [{ pk, n: n(100) }], LastEvaluatedKey: { pk, n: n(100) } },
  },
  {
    name: "Query keeps partitions apart whose keys begin alike",
    source: "AWS: API_Query",
    given: { composite: alike.map((key) => ({ pk: key, sk: s("x") })) },
    steps: alike.map((key) => ({ query: of({}, key), shows: { Items: [{ pk: key, sk: s("x") }] } })),
  },
]);
