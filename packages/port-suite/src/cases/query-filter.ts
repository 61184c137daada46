import type { AttributeValue, QueryInput } from "@tablekeep/core";
import { l, m, n, pk, s, ss } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const select = "AWS: API_Query, Select";
const suites = "public conformance suites";

/** Five items a to e; `n` counts from 1, `odd` is on every other, `m` is a map, `t` a set. */
const fiveItems = ["a", "b", "c", "d", "e"].map((sk, index) => ({
  pk,
  sk: s(sk),
  n: n(index + 1),
  m: m({ name: s(`name-${sk}`), list: l(n(0), n(index)) }),
  t: ss("all", sk),
  ...(index % 2 === 0 && { odd: { BOOL: true } }),
}));

/** A query of the partition. */
function of({ ExpressionAttributeValues, ...over }: Partial<QueryInput>): Partial<QueryInput> {
  return {
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": pk, ...ExpressionAttributeValues },
    ConsistentRead: true,
    ...over,
  };
}

const filters: readonly (readonly [filter: string, keeps: string, x?: AttributeValue, y?: AttributeValue])[] = [
  ["n = :x", "c", n("3.0")],
  ["n <> :x", "abde", n(3)],
  ["n < :x", "ab", n(3)],
  ["n >= :x", "de", n(4)],
  ["n BETWEEN :x AND :y", "bc", n(2), n(3)],
  ["n IN (:x, :y)", "ae", n(1), n(5)],
  ["n = :x OR n = :y", "ab", n(1), n(2)],
  ["NOT n = :x", "bcde", n(1)],
  ["n = :x", "", s("3")],
  ["attribute_exists(odd)", "ace"],
  ["attribute_not_exists(odd)", "bd"],
  ["attribute_type(m, :x)", "abcde", s("M")],
  ["begins_with(m.#name, :x)", "d", s("name-d")],
  ["contains(t, :x)", "e", s("e")],
  ["m.#list[1] > :x", "de", n(2)],
  ["size(m.#name) = :x AND odd = :y", "ace", n(6), { BOOL: true }],
];

const notKey = "Filter Expression can only contain non-primary key attributes: Primary key attribute: ";
const reserved = "Attribute name is a reserved keyword; reserved keyword: name";

const rejections: readonly (readonly [what: string, input: Partial<QueryInput>, says: string, source?: string])[] = [
  ["a filter on the sort key", { FilterExpression: "sk = :p" }, `${notKey}sk`],
  ["a filter on the partition key", { FilterExpression: "n > :p AND pk = :p" }, `${notKey}pk`],
  [
    "a filter that names a reserved word bare",
    { FilterExpression: "name = :p" },
    `Invalid FilterExpression: ${reserved}`,
    "AWS docs: Reserved words in DynamoDB",
  ],
  ["an empty filter", { FilterExpression: "" }, "The expression can not be empty;", suites],
];

const selectRejections: readonly (readonly [what: string, input: Partial<QueryInput>, says: string, gap?: string])[] = [
  [
    "Select SPECIFIC_ATTRIBUTES without a projection",
    { Select: "SPECIFIC_ATTRIBUTES" },
    "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES",
  ],
  [
    "Select COUNT with a projection",
    { Select: "COUNT", ProjectionExpression: "n" },
    "Cannot specify the ProjectionExpression when choosing to get only the Count",
  ],
  [
    "Select ALL_ATTRIBUTES with a projection",
    { Select: "ALL_ATTRIBUTES", ProjectionExpression: "n" },
    "Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES",
  ],
  [
    "Select ALL_PROJECTED_ATTRIBUTES without an index",
    { Select: "ALL_PROJECTED_ATTRIBUTES" },
    "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
  ],
  [
    "an unknown Select",
    { Select: "NOTHING" as "COUNT" },
    "enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
    "rejects with other words",
  ],
  [
    "overlapping projection paths",
    { ProjectionExpression: "m, m.a" },
    "Invalid ProjectionExpression: Two document paths overlap with each other",
  ],
  ["an empty projection", { ProjectionExpression: "" }, "The expression can not be empty;"],
  ["a projection that names a reserved word bare", { ProjectionExpression: "name" }, `Invalid ProjectionExpression: ${reserved}`],
  ["an index that does not exist", { IndexName: "no-such-index" }, "The table does not have the specified index"],
];

const even = "attribute_not_exists(odd)";
const api = "AWS docs: Filter expressions for the Query operation";

export const queryFilterCases: readonly PortCase[] = cases({ source: api, table: "composite", given: { composite: fiveItems } }, [
  ...filters.map(([filter, keeps, x, y]): Row => {
    const names = Object.fromEntries([...filter.matchAll(/#(\w+)/g)].map(([placeholder, name = ""]) => [placeholder, name]));
    return {
      name: `Query keeps ${keeps || "nothing"} by the filter ${filter}${x?.S === "3" ? " of another type" : ""}`,
      query: of({
        FilterExpression: filter,
        ExpressionAttributeNames: filter.includes("#") ? names : undefined,
        ExpressionAttributeValues: { ...(x && { ":x": x }), ...(y && { ":y": y }) },
      }),
      shows: { "Items.*.sk.S": keeps.split(""), Count: keeps.length, ScannedCount: 5 },
    };
  }),
  ...rejections.map(
    ([what, input, says, source = api]): Row => ({ name: `Query rejects ${what}`, source, query: of(input), rejected: says }),
  ),
  ...selectRejections.map(
    ([what, input, says, gap]): Row => ({
      name: `Query rejects ${what}`,
      source: "AWS: API_Query; public conformance suites",
      gap,
      query: of(input),
      rejected: says,
    }),
  ),
  {
    name: "Query counts Limit before the filter",
    query: of({ FilterExpression: even, Limit: 3 }),
    returns: { Items: [fiveItems[1]], Count: 1, ScannedCount: 3, LastEvaluatedKey: { pk, sk: s("c") } },
  },
  {
    name: "Query returns an empty page with a LastEvaluatedKey when the filter keeps none of Limit items",
    query: of({ FilterExpression: even, Limit: 1 }),
    returns: { Items: [], Count: 0, ScannedCount: 1, LastEvaluatedKey: { pk, sk: s("a") } },
  },
  {
    name: "Query with Select COUNT returns counts and no items, filter included",
    source: select,
    steps: [
      { query: of({ Select: "COUNT" }), returns: { Count: 5, ScannedCount: 5 } },
      { query: of({ Select: "COUNT", FilterExpression: "attribute_exists(odd)" }), returns: { Count: 3, ScannedCount: 5 } },
    ],
  },
  {
    name: "Query with Select COUNT pages by Limit",
    source: select,
    query: of({ Select: "COUNT", Limit: 2 }),
    returns: { Count: 2, ScannedCount: 2, LastEvaluatedKey: { pk, sk: s("b") } },
  },
  {
    name: "Query with Select ALL_ATTRIBUTES returns whole items",
    source: select,
    query: of({ Select: "ALL_ATTRIBUTES" }),
    returns: { Items: fiveItems, Count: 5, ScannedCount: 5 },
  },
  {
    name: "Query with Select SPECIFIC_ATTRIBUTES returns the projection",
    source: select,
    query: of({ Select: "SPECIFIC_ATTRIBUTES", ProjectionExpression: "n", Limit: 2 }),
    shows: { Items: [{ n: n(1) }, { n: n(2) }] },
  },
  {
    name: "Query projects nested paths, rebuilds their parents and leaves out what is absent",
    source: "AWS docs: Using projection expressions in DynamoDB",
    query: of({
      ProjectionExpression: "m.#name, m.#list[1], odd, absent.deep",
      ExpressionAttributeNames: { "#name": "name", "#list": "list" },
      Limit: 2,
    }),
    shows: {
      Items: [
        { m: m({ name: s("name-a"), list: l(n(0)) }), odd: { BOOL: true } },
        { m: m({ name: s("name-b"), list: l(n(1)) }) },
      ],
    },
  },
  {
    name: "Query returns an empty item where the projection finds nothing",
    source: suites,
    query: of({ ProjectionExpression: "odd", Limit: 2 }),
    shows: { Items: [{ odd: { BOOL: true } }, {}], Count: 2, ScannedCount: 2 },
  },
  {
    name: "Query filters on attributes that it does not project",
    query: of({ ProjectionExpression: "sk", FilterExpression: "n > :x", ExpressionAttributeValues: { ":x": n(4) } }),
    shows: { Items: [{ sk: s("e") }] },
  },
]);
