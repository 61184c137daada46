import type { Item } from "@tablekeep/core";
import { n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const otherWords = "rejects with other words";
const invalid = "The provided starting key is invalid";
const outside = "The provided starting key is outside query boundaries based on provided conditions";
const ofP = { KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": s("p") } };
const p = { pk: s("p") };

/** Start keys that no query of the partition `p` of a table with keys pk and sk (S) may use. */
const badStarts: readonly (readonly [what: string, key: Item, says?: string, gap?: string])[] = [
  ["without the sort key", p, invalid, otherWords],
  ["without the partition key", { sk: s("s") }, invalid, otherWords],
  ["with a further attribute", { ...p, sk: s("s"), x: s("x") }, invalid, otherWords],
  ["with a key of the wrong type", { ...p, sk: n(1) }, invalid, otherWords],
  ["of another partition", { pk: s("other"), sk: s("s") }, outside, otherWords],
  ["with an empty key value", { ...p, sk: s("") }],
];

export const queryStartKeyCases: readonly PortCase[] = cases({ source: "public conformance suites", table: "composite" }, [
  ...badStarts.map(
    ([what, ExclusiveStartKey, says = "", gap]): Row => ({
      name: `Query rejects an ExclusiveStartKey ${what}`,
      gap,
      query: { ...ofP, ExclusiveStartKey },
      rejected: says,
    }),
  ),
  {
    name: "Query rejects an ExclusiveStartKey outside its sort key condition",
    given: { composite: ["a", "b", "c", "d"].map((sk) => ({ pk, sk: s(sk) })) },
    query: {
      KeyConditionExpression: "pk = :p AND sk > :x",
      ExpressionAttributeValues: { ":p": pk, ":x": s("c") },
      ExclusiveStartKey: { pk, sk: s("a") },
    },
    rejected: "The provided starting key does not match the range key predicate",
  },
  { name: "Query rejects Limit 0", source: "AWS: API_Query", query: { ...ofP, Limit: 0 }, rejected: "" },
  { name: "Query rejects a negative Limit", source: "AWS: API_Query", query: { ...ofP, Limit: -1 }, rejected: "" },
]);
