import type { QueryInput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";
import { column, seed, seedPartition } from "../sample-rows.ts";

const api = "AWS docs: Key condition expressions for the Query operation";
const sortKeys = ["a", "aa", "ab", "b", "c"];

/** The result of each form of a sort key condition from {@link sortKeys}. */
const forms: readonly { form: string; x: string; y?: string; selects: string[] }[] = [
  { form: "sk = :x", x: "ab", selects: ["ab"] },
  { form: "sk < :x", x: "ab", selects: ["a", "aa"] },
  { form: "sk <= :x", x: "ab", selects: ["a", "aa", "ab"] },
  { form: "sk > :x", x: "ab", selects: ["b", "c"] },
  { form: "sk >= :x", x: "ab", selects: ["ab", "b", "c"] },
  { form: "sk BETWEEN :x AND :y", x: "aa", y: "b", selects: ["aa", "ab", "b"] },
  { form: "sk between :x and :y", x: "b", y: "b", selects: ["b"] },
  { form: "begins_with(sk, :x)", x: "a", selects: ["a", "aa", "ab"] },
  { form: "begins_with (sk, :x)", x: "zz", selects: [] },
  { form: "(sk >= :x)", x: "c", selects: ["c"] },
  { form: ":x <= sk", x: "b", selects: ["b", "c"] },
];

const accepted: readonly PortCase[] = forms.map(({ form, x, y, selects }) => ({
  name: `Query selects ${selects.join(" ") || "nothing"} by ${form} with ${[x, y].filter(Boolean).join(", ")}`,
  source: api,
  async run(world) {
    const pk = await seedPartition(world, sortKeys);
    const values = { ":p": pk, ":x": { S: x }, ...(y === undefined ? {} : { ":y": { S: y } }) };
    const { Items, Count, ScannedCount, LastEvaluatedKey } = await world.port.query({
      TableName: world.tables.composite,
      KeyConditionExpression: `pk = :p AND ${form}`,
      ExpressionAttributeValues: values,
      ConsistentRead: true,
    });
    same(column(Items, "sk"), selects);
    same({ Count, ScannedCount }, { Count: selects.length, ScannedCount: selects.length });
    same(LastEvaluatedKey, undefined);
  },
}));

const numericForms: readonly { form: string; x: string; y?: string; selects: string[] }[] = [
  { form: "n = :x", x: "1.0", selects: ["1"] },
  { form: "n < :x", x: "1", selects: ["-10", "-1", "0"] },
  { form: "n > :x", x: "1.5", selects: ["2", "10"] },
  { form: "n BETWEEN :x AND :y", x: "-1", y: "2", selects: ["-1", "0", "1", "2"] },
];

const numeric: readonly PortCase[] = numericForms.map(({ form, x, y, selects }) => ({
  name: `Query compares a numeric sort key by value: ${form} with ${[x, y].filter(Boolean).join(", ")}`,
  source: api,
  async run({ port, tables, unique }) {
    const pk = { S: unique() };
    await seed(
      port,
      tables.numeric,
      ["10", "-1", "2", "0", "-10", "1"].map((n) => ({ pk, n: { N: n } })),
    );
    const { Items } = await port.query({
      TableName: tables.numeric,
      KeyConditionExpression: `pk = :p AND ${form}`,
      ExpressionAttributeValues: { ":p": pk, ":x": { N: x }, ...(y === undefined ? {} : { ":y": { N: y } }) },
      ConsistentRead: true,
    });
    same(column(Items, "n"), selects);
  },
}));

/** Key conditions that DynamoDB rejects on a table with keys pk and sk (S). */
const refusals: readonly { what: string; input: Partial<QueryInput>; text?: string; gap?: string }[] = [
  {
    what: "without any key condition",
    input: { ExpressionAttributeValues: undefined },
    text: "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request",
  },
  {
    what: "without the partition key",
    input: { KeyConditionExpression: "sk = :p" },
    text: "Query condition missed key schema element: pk",
    gap: "does not name the element",
  },
  {
    what: "with a range of partition keys",
    input: { KeyConditionExpression: "pk > :p" },
    text: "Query key condition not supported",
  },
  {
    what: "with begins_with on the partition key",
    input: { KeyConditionExpression: "begins_with(pk, :p)" },
    text: "Query key condition not supported",
  },
  {
    what: "with two conditions on the sort key",
    input: { KeyConditionExpression: "pk = :p AND sk > :p AND sk < :p" },
    text: "KeyConditionExpressions must only contain one condition per key",
  },
  {
    what: "with the partition key twice",
    input: { KeyConditionExpression: "pk = :p AND pk = :p" },
    text: "KeyConditionExpressions must only contain one condition per key",
  },
  {
    what: "with OR",
    input: { KeyConditionExpression: "pk = :p OR sk = :p" },
    text: "Invalid operator used in KeyConditionExpression: OR",
  },
  { what: "with NOT", input: { KeyConditionExpression: "pk = :p AND NOT sk = :p" } },
  { what: "with <>", input: { KeyConditionExpression: "pk = :p AND sk <> :p" } },
  { what: "with IN", input: { KeyConditionExpression: "pk = :p AND sk IN (:p)" } },
  { what: "with contains", input: { KeyConditionExpression: "pk = :p AND contains(sk, :p)" } },
  { what: "with attribute_exists", input: { KeyConditionExpression: "pk = :p AND attribute_exists(sk)" } },
  {
    what: "with size",
    input: { KeyConditionExpression: "pk = :p AND size(sk) = :p" },
    text: "KeyConditionExpressions cannot contain nested operations",
  },
  {
    what: "with two attributes in one condition",
    input: { KeyConditionExpression: "pk = sk AND sk = :p" },
    text: "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
  },
  {
    what: "with no attribute in a condition",
    input: { KeyConditionExpression: ":p = :p" },
    text: "Invalid condition in KeyConditionExpression: No key attribute specified",
  },
  {
    what: "with a value as first operand of BETWEEN",
    input: { KeyConditionExpression: "pk = :p AND :p BETWEEN sk AND :p" },
    text: "Invalid condition in KeyConditionExpression: BETWEEN operator must have the key attribute as its first operand",
  },
  { what: "with an attribute that is no key", input: { KeyConditionExpression: "pk = :p AND other = :p" } },
  {
    what: "with a nested attribute",
    input: { KeyConditionExpression: "pk = :p AND sk.a = :p" },
    text: "KeyConditionExpressions cannot have conditions on nested attributes",
    gap: "refuses with other words",
  },
  {
    what: "with an empty expression",
    input: { KeyConditionExpression: "" },
    text: "Invalid KeyConditionExpression: The expression can not be empty;",
  },
  {
    what: "with a syntax error",
    input: { KeyConditionExpression: "pk = = :p" },
    text: "Syntax error; token:",
  },
  {
    what: "with an undefined value",
    input: { KeyConditionExpression: "pk = :p AND sk = :missing" },
    text: "An expression attribute value used in expression is not defined; attribute value: :missing",
  },
  {
    what: "with an undefined name",
    input: { KeyConditionExpression: "#missing = :p" },
    text: "An expression attribute name used in the document path is not defined; attribute name: #missing",
  },
  {
    what: "with an unused value",
    input: { ExpressionAttributeValues: { ":p": { S: "p" }, ":q": { S: "q" } } },
    text: "Value provided in ExpressionAttributeValues unused in expressions: keys: {:q}",
  },
  {
    what: "with an unused name",
    input: { ExpressionAttributeNames: { "#q": "q" } },
    text: "Value provided in ExpressionAttributeNames unused in expressions: keys: {#q}",
  },
  {
    what: "with a number for a text key",
    input: { ExpressionAttributeValues: { ":p": { N: "1" } } },
    text: "One or more parameter values were invalid: Condition parameter type does not match schema type",
  },
  {
    what: "with an empty partition key",
    input: { ExpressionAttributeValues: { ":p": { S: "" } } },
    text: "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
  },
  {
    what: "with a sort key of 1,025 bytes",
    input: {
      KeyConditionExpression: "pk = :p AND sk >= :s",
      ExpressionAttributeValues: { ":p": { S: "p" }, ":s": { S: "x".repeat(1025) } },
    },
    text: "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
  },
  {
    what: "with BETWEEN from high to low",
    input: {
      KeyConditionExpression: "pk = :p AND sk BETWEEN :p AND :q",
      ExpressionAttributeValues: { ":p": { S: "p" }, ":q": { S: "a" } },
    },
    text: "The BETWEEN operator requires upper bound to be greater than or equal to lower bound",
  },
];

const refused: readonly PortCase[] = refusals.map(({ what, input, text, gap }) => ({
  ...localGap(gap),
  name: `Query is refused ${what}`,
  source: "AWS: API_Query; public conformance suites",
  async run({ port, tables }) {
    const plain = { KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": { S: "p" } } };
    const whole = what === "without any key condition" ? input : { ...plain, ...input };
    await refuses(port.query({ TableName: tables.composite, ...whole }), "ValidationException", text);
  },
}));

export const queryKeyConditionCases: readonly PortCase[] = [
  ...accepted,
  ...numeric,
  ...refused,
  {
    name: "Query takes the sort key condition before the partition key and both in parentheses",
    source: api,
    async run(world) {
      const pk = await seedPartition(world, sortKeys);
      const { Items } = await world.port.query({
        TableName: world.tables.composite,
        KeyConditionExpression: "(#s > :x) AND (#p = :p)",
        ExpressionAttributeNames: { "#p": "pk", "#s": "sk" },
        ExpressionAttributeValues: { ":p": pk, ":x": { S: "aa" } },
        ConsistentRead: true,
      });
      same(column(Items, "sk"), ["ab", "b", "c"]);
    },
  },
  {
    name: "Query selects binary sort keys by prefix and by range",
    source: api,
    async run({ port, tables, unique }) {
      const pk = { B: Buffer.from(unique()) };
      const b = (...bytes: number[]) => ({ B: Uint8Array.from(bytes) });
      await seed(
        port,
        tables.binary,
        [b(1, 2), b(1, 255), b(1), b(2)].map((each) => ({ pk, b: each })),
      );
      const select = async (condition: string, x: { B: Uint8Array }) =>
        (
          await port.query({
            TableName: tables.binary,
            KeyConditionExpression: `pk = :p AND ${condition}`,
            ExpressionAttributeValues: { ":p": pk, ":x": x },
            ConsistentRead: true,
          })
        ).Items?.map((item) => item["b"]);
      same(await select("begins_with(b, :x)", b(1)), [b(1), b(1, 2), b(1, 255)]);
      same(await select("b > :x", b(1, 2)), [b(1, 255), b(2)]);
    },
  },
  {
    name: "Query refuses begins_with on a numeric sort key",
    source: api,
    async run({ port, tables }) {
      const query = port.query({
        TableName: tables.numeric,
        KeyConditionExpression: "pk = :p AND begins_with(n, :x)",
        ExpressionAttributeValues: { ":p": { S: "p" }, ":x": { N: "1" } },
      });
      await refuses(query, "ValidationException", "Incorrect operand type for operator or function");
    },
  },
  {
    name: "Query of an absent partition gives an empty page",
    source: "AWS: API_Query",
    async run({ port, tables, unique }) {
      const page = await port.query({
        TableName: tables.composite,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": { S: unique() } },
      });
      same(page, { Items: [], Count: 0, ScannedCount: 0 });
    },
  },
  {
    name: "Query of a table without a sort key gives the one item",
    source: "AWS: API_Query",
    async run({ port, tables, unique }) {
      const item = { pk: { S: unique() }, a: { S: "x" } };
      await port.putItem({ TableName: tables.simple, Item: item });
      const page = await port.query({
        TableName: tables.simple,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": item.pk },
        ConsistentRead: true,
      });
      same(page, { Items: [item], Count: 1, ScannedCount: 1 });
    },
  },
];
