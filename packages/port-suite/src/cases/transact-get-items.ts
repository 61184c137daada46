import type { AttributeValue, TransactGetItem } from "@tablekeep/core";
import { fill, m, n, pk, s, upTo } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { put } from "../transaction-actions.ts";

const suites = "public conformance suites";
const get = (key: AttributeValue, over: object = {}): TransactGetItem => ({
  Get: { TableName: "$simple", Key: { pk: key }, ...over },
});
const numbered = (count: number) => upTo(count).map((index) => s(`$item${index}`));

const malformed: readonly (readonly [what: string, get: TransactGetItem, says: string])[] = [
  [
    "a syntax error in a projection",
    get(pk, { ProjectionExpression: "!!!" }),
    'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"',
  ],
  [
    "an unused name",
    get(pk, { ProjectionExpression: "a", ExpressionAttributeNames: { "#x": "x" } }),
    "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
  ],
  ["an empty key value", get(s("")), "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk"],
];

const one = { pk: s("$one"), a: s("1") };
const two = { pk: s("$two"), a: s("2") };
const row = { pk, sk: s("x"), a: s("two") };

/** Eleven items, a little more than 4 MB together. */
const large = { simple: numbered(11).map((key) => ({ pk: key, fill: fill(395_000) })) };
const tooLarge = "Payload in response is too large.";
const statements = (keys: AttributeValue[]) => ({
  TransactStatements: keys.map((key) => ({ Statement: 'SELECT * FROM "$simple" WHERE pk = ?', Parameters: [key] })),
});

export const transactGetItemsCases: readonly PortCase[] = cases({ source: "AWS: API_TransactGetItems" }, [
  {
    name: "TransactGetItems returns items of several tables in the order of the request",
    given: { simple: [one], composite: [row] },
    transactGetItems: { TransactItems: [{ Get: { TableName: "$composite", Key: { pk, sk: s("x") } } }, get(one.pk)] },
    shows: { Responses: [{ Item: row }, { Item: one }] },
  },
  {
    name: "TransactGetItems returns an empty response at the place of an absent item",
    given: { simple: [one] },
    transactGetItems: { TransactItems: [get(s("$a")), get(one.pk), get(s("$b"))] },
    shows: { Responses: [{}, { Item: one }, {}] },
  },
  {
    name: "TransactGetItems projects each item",
    given: { simple: [{ pk, a: s("x"), m: m({ b: s("y"), c: s("z") }) }] },
    transactGetItems: { TransactItems: [get(pk, { ProjectionExpression: "#m.b", ExpressionAttributeNames: { "#m": "m" } })] },
    shows: { Responses: [{ Item: { m: m({ b: s("y") }) } }] },
  },
  {
    name: "TransactGetItems sees a transaction that was acknowledged",
    steps: [
      { transactWriteItems: { TransactItems: [put(one), put(two)] } },
      { transactGetItems: { TransactItems: [get(one.pk), get(two.pk)] }, shows: { Responses: [{ Item: one }, { Item: two }] } },
    ],
  },
  {
    name: "TransactGetItems accepts 100 gets and rejects 101",
    steps: [
      { transactGetItems: { TransactItems: numbered(100).map((key) => get(key)) }, shows: { "Responses.length": 100 } },
      {
        transactGetItems: { TransactItems: numbered(101).map((key) => get(key)) },
        rejected: "Member must have length less than or equal to 100",
      },
    ],
  },
  {
    name: "TransactGetItems and ExecuteTransaction read up to 4 MB and reject more",
    given: large,
    steps: [
      { transactGetItems: { TransactItems: numbered(10).map((key) => get(key)) }, shows: { "Responses.length": 10 } },
      { transactGetItems: { TransactItems: numbered(11).map((key) => get(key)) }, rejected: tooLarge },
      { executeTransaction: statements(numbered(10)), shows: { "Responses.length": 10 } },
      { executeTransaction: statements(numbered(11)), rejected: tooLarge },
    ],
  },
  {
    name: "TransactGetItems counts whole items towards its 4 MB, whatever is projected",
    source: "AWS: API_TransactGetItems (the aggregate size of the items in the transaction)",
    gap: "counts what the projection leaves",
    given: large,
    transactGetItems: { TransactItems: numbered(11).map((key) => get(key, { ProjectionExpression: "pk" })) },
    rejected: "",
  },
  {
    name: "TransactGetItems rejects an empty list",
    source: suites,
    gap: "rejects with other words",
    transactGetItems: { TransactItems: [] },
    rejected: "Member must have length greater than or equal to 1",
  },
  {
    name: "TransactGetItems rejects getting one item twice",
    transactGetItems: { TransactItems: [get(pk), get(pk)] },
    rejected: "Transaction request cannot include multiple operations on one item",
  },
  {
    name: "TransactGetItems is cancelled with ValidationError by a key that does not match the schema",
    source: suites,
    gap: "cancels with other words",
    transactGetItems: { TransactItems: [get(pk), get(n(1))] },
    rejected: "TransactionCanceledException: [None, ValidationError]",
    shows: {
      "cancellationReasons.*.Code": ["None", "ValidationError"],
      "cancellationReasons.1.Message": "The provided key element does not match the schema",
    },
  },
  ...malformed.map(
    ([what, wrong, says]): Row => ({
      name: `TransactGetItems rejects ${what}`,
      source: suites,
      transactGetItems: { TransactItems: [wrong] },
      rejected: says,
    }),
  ),
]);
