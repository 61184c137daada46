import type { QueryInput } from "@tablekeep/core";
import { b, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { seed } from "../sample-rows.ts";

const api = "AWS: API_Query";
const p = s("p");
const one = { KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": p } };
const sortKeys = { composite: ["a", "aa", "ab", "b", "c"].map((sk) => ({ pk, sk: s(sk) })) };
const numbers = { numeric: ["10", "-1", "2", "0", "-10", "1"].map((each) => ({ pk, n: n(each) })) };

type Form = readonly [form: string, x: string, y: string | undefined, selects: string[]];

/** The result of each form of a sort key condition from {@link sortKeys}. */
const forms: readonly Form[] = [
  ["sk = :x", "ab", undefined, ["ab"]],
  ["sk < :x", "ab", undefined, ["a", "aa"]],
  ["sk <= :x", "ab", undefined, ["a", "aa", "ab"]],
  ["sk > :x", "ab", undefined, ["b", "c"]],
  ["sk >= :x", "ab", undefined, ["ab", "b", "c"]],
  ["sk BETWEEN :x AND :y", "aa", "b", ["aa", "ab", "b"]],
  ["sk between :x and :y", "b", "b", ["b"]],
  ["begins_with(sk, :x)", "a", undefined, ["a", "aa", "ab"]],
  ["begins_with (sk, :x)", "zz", undefined, []],
  ["(sk >= :x)", "c", undefined, ["c"]],
  [":x <= sk", "b", undefined, ["b", "c"]],
];

/** The result of each form from {@link numbers}. */
const numericForms: readonly Form[] = [
  ["n = :x", "1.0", undefined, ["1"]],
  ["n < :x", "1", undefined, ["-10", "-1", "0"]],
  ["n > :x", "1.5", undefined, ["2", "10"]],
  ["n BETWEEN :x AND :y", "-1", "2", ["-1", "0", "1", "2"]],
];

function selects(value: typeof s | typeof n, [form, x, y]: Form): Partial<Row> {
  const values = { ":p": pk, ":x": value(x), ...(y !== undefined && { ":y": value(y) }) };
  return { query: { KeyConditionExpression: `pk = :p AND ${form}`, ExpressionAttributeValues: values, ConsistentRead: true } };
}

const notSupported = "Query key condition not supported";
const onePerKey = "KeyConditionExpressions must only contain one condition per key";
const condition = "Invalid condition in KeyConditionExpression: ";

/** Key conditions that DynamoDB rejects on a table with keys pk and sk (S). */
const conditions: readonly (readonly [what: string, expression: string, says?: string, gap?: string])[] = [
  ["without the partition key", "sk = :p", "Query condition missed key schema element: pk", "does not name the element"],
  ["with a range of partition keys", "pk > :p", notSupported],
  ["with begins_with on the partition key", "begins_with(pk, :p)", notSupported],
  ["with two conditions on the sort key", "pk = :p AND sk > :p AND sk < :p", onePerKey],
  ["with the partition key twice", "pk = :p AND pk = :p", onePerKey],
  [
    "with more conditions than keys",
    "pk = :p AND sk = :p AND extra = :p",
    "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)",
    "rejects with other words",
  ],
  ["with OR", "pk = :p OR sk = :p", "Invalid operator used in KeyConditionExpression: OR"],
  ["with NOT", "pk = :p AND NOT sk = :p"],
  ["with <>", "pk = :p AND sk <> :p"],
  ["with IN", "pk = :p AND sk IN (:p)"],
  ["with contains", "pk = :p AND contains(sk, :p)"],
  ["with attribute_exists", "pk = :p AND attribute_exists(sk)"],
  ["with size", "pk = :p AND size(sk) = :p", "KeyConditionExpressions cannot contain nested operations"],
  ["with two attributes in one condition", "pk = sk AND sk = :p", `${condition}Multiple attribute names used in one condition`],
  ["with no attribute in a condition", ":p = :p", `${condition}No key attribute specified`],
  [
    "with a value as first operand of BETWEEN",
    "pk = :p AND :p BETWEEN sk AND :p",
    `${condition}BETWEEN operator must have the key attribute as its first operand`,
  ],
  ["with an attribute that is not a key", "pk = :p AND other = :p"],
  [
    "with a nested attribute",
    "pk = :p AND sk.a = :p",
    "KeyConditionExpressions cannot have conditions on nested attributes",
    "rejects with other words",
  ],
  ["with an empty expression", "", "Invalid KeyConditionExpression: The expression can not be empty;"],
  ["with a syntax error", "pk = = :p", "Syntax error; token:"],
  [
    "with an undefined value",
    "pk = :p AND sk = :missing",
    "An expression attribute value used in expression is not defined; attribute value: :missing",
  ],
  [
    "with an undefined name",
    "#missing = :p",
    "An expression attribute name used in the document path is not defined; attribute name: #missing",
  ],
];

const requests: readonly (readonly [what: string, input: Partial<QueryInput>, says: string])[] = [
  [
    "without any key condition",
    {},
    "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request",
  ],
  [
    "with an unused value",
    { ...one, ExpressionAttributeValues: { ":p": p, ":q": s("q") } },
    "Value provided in ExpressionAttributeValues unused in expressions: keys: {:q}",
  ],
  [
    "with an unused name",
    { ...one, ExpressionAttributeNames: { "#q": "q" } },
    "Value provided in ExpressionAttributeNames unused in expressions: keys: {#q}",
  ],
  [
    "with a number for a text key",
    { ...one, ExpressionAttributeValues: { ":p": n(1) } },
    "One or more parameter values were invalid: Condition parameter type does not match schema type",
  ],
  [
    "with an empty partition key",
    { ...one, ExpressionAttributeValues: { ":p": s("") } },
    "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
  ],
  [
    "with a sort key of 1,025 bytes",
    { KeyConditionExpression: "pk = :p AND sk >= :s", ExpressionAttributeValues: { ":p": p, ":s": s("x".repeat(1025)) } },
    "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
  ],
  [
    "with BETWEEN from high to low",
    { KeyConditionExpression: "pk = :p AND sk BETWEEN :p AND :q", ExpressionAttributeValues: { ":p": p, ":q": s("a") } },
    "The BETWEEN operator requires upper bound to be greater than or equal to lower bound",
  ],
];

const listed = (x: string, y: string | undefined) => (y === undefined ? x : `${x}, ${y}`);

const rejected = (what: string, query: Partial<QueryInput>, says = "", gap?: string): Row => ({
  name: `Query is rejected ${what}`,
  source: "AWS: API_Query; public conformance suites",
  gap,
  query,
  rejected: says,
});

export const queryKeyConditionCases: readonly PortCase[] = cases(
  { source: "AWS docs: Key condition expressions for the Query operation", table: "composite" },
  [
    ...forms.map((row): Row => {
      const [form, x, y, found] = row;
      return {
        name: `Query selects ${found.join(" ") || "nothing"} by ${form} with ${listed(x, y)}`,
        given: sortKeys,
        ...selects(s, row),
        returns: { Items: found.map((sk) => ({ pk, sk: s(sk) })), Count: found.length, ScannedCount: found.length },
      };
    }),
    ...numericForms.map((row): Row => {
      const [form, x, y, found] = row;
      return {
        name: `Query compares a numeric sort key by value: ${form} with ${listed(x, y)}`,
        table: "numeric",
        given: numbers,
        ...selects(n, row),
        shows: { "Items.*.n.N": found },
      };
    }),
    ...conditions.map(([what, expression, says, gap]) =>
      rejected(what, { ...one, KeyConditionExpression: expression }, says, gap),
    ),
    ...requests.map(([what, input, says]) => rejected(what, input, says)),
    {
      name: "Query accepts the sort key condition before the partition key and both in parentheses",
      given: sortKeys,
      query: {
        KeyConditionExpression: "(#s > :x) AND (#p = :p)",
        ExpressionAttributeNames: { "#p": "pk", "#s": "sk" },
        ExpressionAttributeValues: { ":p": pk, ":x": s("aa") },
        ConsistentRead: true,
      },
      shows: { "Items.*.sk.S": ["ab", "b", "c"] },
    },
    {
      name: "Query selects binary sort keys by prefix and by range",
      async run({ port, tables, unique }) {
        const key = { B: Buffer.from(unique()) };
        const rows = [b(1, 2), b(1, 255), b(1), b(2)].map((each) => ({ pk: key, b: each }));
        await seed(port, tables.binary, rows);
        const select = async (form: string, x: { B: Uint8Array }) => {
          const { Items } = await port.query({
            TableName: tables.binary,
            KeyConditionExpression: `pk = :p AND ${form}`,
            ExpressionAttributeValues: { ":p": key, ":x": x },
            ConsistentRead: true,
          });
          return Items?.map((item) => item["b"]);
        };
        same(await select("begins_with(b, :x)", b(1)), [b(1), b(1, 2), b(1, 255)]);
        same(await select("b > :x", b(1, 2)), [b(1, 255), b(2)]);
      },
    },
    {
      name: "Query rejects begins_with on a numeric sort key",
      table: "numeric",
      query: { KeyConditionExpression: "pk = :p AND begins_with(n, :x)", ExpressionAttributeValues: { ":p": p, ":x": n(1) } },
      rejected: "Incorrect operand type for operator or function",
    },
    {
      name: "Query of an absent partition returns an empty page",
      source: api,
      query: { ...one, ExpressionAttributeValues: { ":p": pk } },
      returns: { Items: [], Count: 0, ScannedCount: 0 },
    },
    {
      name: "Query of a table without a sort key returns the one item",
      source: api,
      table: "simple",
      given: { simple: [{ pk, a: s("x") }] },
      query: { ...one, ExpressionAttributeValues: { ":p": pk }, ConsistentRead: true },
      returns: { Items: [{ pk, a: s("x") }], Count: 1, ScannedCount: 1 },
    },
  ],
);
