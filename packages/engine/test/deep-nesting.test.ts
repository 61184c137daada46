import { isDynamoError } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rejectionOf, tableInput } from "./tables.ts";

/*
 * Nothing that a request nests, however deep, ends in anything but DynamoDB's rejection: a parser or a copy that runs out of
 * stack would be a fault of the server.
 */

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await engine.createTable(tableInput());
});
afterAll(() => engine.close());

const TableName = "things";
const Key = { pk: { S: "1" } };
const nested = (open: string, middle: string, close: string, depth: number) =>
  open.repeat(depth) + middle + close.repeat(depth);

describe("a condition", () => {
  const rejection = async (ConditionExpression: string) => {
    const values = ConditionExpression.includes(":v") ? { ":v": { S: "v" } } : undefined;
    return rejectionOf(
      engine.putItem({ TableName, Item: Key, ConditionExpression, ExpressionAttributeValues: values }),
    );
  };
  const invalid = "ValidationException: 1 validation error detected: Invalid ConditionExpression:";

  test.each([
    ["parentheses", nested("(", "a = :v", ")", 1200), "The expression has redundant parentheses;"],
    [
      "parentheses to the limit of its length",
      nested("(", "a = :v", ")", 2045),
      "The expression has redundant parentheses;",
    ],
    [
      "parentheses around an operand",
      `a = ${nested("(", ":v", ")", 1200)}`,
      "The expression has redundant parentheses;",
    ],
    [
      "parentheses that are partly closed",
      `${"(".repeat(1200)}a = :v${")".repeat(1000)}`,
      "The expression has redundant parentheses;",
    ],
    ["parentheses that stay open", "(".repeat(4000), 'Syntax error; token: "<EOF>", near: "("'],
    [
      "negations",
      `${"NOT ".repeat(1000)}a = :v`,
      "The expression contains too many operators; operator count: 301",
    ],
    [
      "negated parentheses",
      nested("NOT(", "a = :v", ")", 800),
      "The expression contains too many operators; operator count: 301",
    ],
    [
      "alternatives",
      nested("(a = :v OR ", "a = :v", ")", 340),
      "The expression contains too many operators; operator count: 301",
    ],
  ])("of nested %s is rejected as by DynamoDB Local", async (_what, expression, words) => {
    expect(await rejection(expression)).toBe(`${invalid} ${words}`);
  });

  test("may be nested as deeply as it may have operators", async () => {
    expect(await rejection(`NOT ${nested("(a = :v OR ", "a = :v", ")", 149)}`)).toBe("accepted");
    expect(await rejection(`${"NOT ".repeat(299)}a = :v`)).toBe("accepted");
  });
});

const deepList = (depth: number): object => {
  let value: object = { S: "leaf" };
  for (let level = 0; level < depth; level++) value = { L: [value] };
  return value;
};
const deepJson = (depth: number): object => {
  let value: object = {};
  for (let level = 0; level < depth; level++) value = { a: [value] };
  return value;
};

const parts: readonly (readonly [string, (depth: number) => { operation: string; input: object }])[] = [
  ["an update's parentheses", (n) => update(`SET a = ${nested("(", ":v", ")", Math.min(n, 2000))}`)],
  ["an update's open parentheses", (n) => update(`SET a = ${"(".repeat(Math.min(n, 4000))}`)],
  [
    "an update's functions",
    (n) => update(`SET a = ${nested("if_not_exists(a, ", ":v", ")", Math.min(n, 220))}`),
  ],
  ["a path", (n) => update(`REMOVE a${"[0]".repeat(Math.min(n, 1300))}`)],
  [
    "a projection",
    (n) => ({
      operation: "GetItem",
      input: { TableName, Key, ProjectionExpression: `a${".a".repeat(Math.min(n, 2000))}` },
    }),
  ],
  [
    "a filter",
    (n) => ({
      operation: "Scan",
      input: { TableName, FilterExpression: nested("(", "a = b", ")", Math.min(n, 2000)) },
    }),
  ],
  ["a statement's parentheses", (n) => statement(nested("(", "a = 1", ")", Math.min(n, 3900)))],
  ["a statement's negations", (n) => statement(`${"NOT ".repeat(Math.min(n, 2000))}a = 1`)],
  ["a statement's lists", (n) => statement(`a = ${nested("[", "", "]", Math.min(n, 3900))}`)],
  ["a statement's maps", (n) => statement(`a = ${nested("{'a': ", "1", "}", Math.min(n, 1000))}`)],
  ["an item", (n) => ({ operation: "PutItem", input: { TableName, Item: { ...Key, a: deepList(n) } } })],
  [
    "an item of a batch",
    (n) => ({
      operation: "BatchWriteItem",
      input: { RequestItems: { [TableName]: [{ PutRequest: { Item: { ...Key, a: deepList(n) } } }] } },
    }),
  ],
  [
    "too many items of a batch",
    (n) => ({
      operation: "BatchWriteItem",
      input: {
        RequestItems: {
          [TableName]: Array.from({ length: 26 }, () => ({ PutRequest: { Item: { a: deepList(n) } } })),
        },
      },
    }),
  ],
  [
    "an action",
    (n) => ({
      operation: "TransactWriteItems",
      input: {
        ClientRequestToken: "t",
        TransactItems: [{ Put: { TableName, Item: { ...Key, a: deepList(n) } } }],
      },
    }),
  ],
  ["a value", (n) => update("SET a = :v", deepList(n))],
  [
    "a statement's parameter",
    (n) => ({
      operation: "ExecuteStatement",
      input: { Statement: `SELECT * FROM ${TableName} WHERE a = ?`, Parameters: [deepList(n)] },
    }),
  ],
  [
    "a member that is not known",
    (n) => ({ operation: "GetItem", input: { TableName, Key, Other: deepJson(n) } }),
  ],
  ["a member of the wrong type", (n) => ({ operation: "GetItem", input: { TableName: deepJson(n), Key } })],
  [
    "a key schema",
    (n) => ({
      operation: "CreateTable",
      input: { TableName: "t-1", KeySchema: [deepJson(n), deepJson(n), deepJson(n)] },
    }),
  ],
  ["tags", (n) => ({ operation: "TagResource", input: { ResourceArn: deepJson(n), Tags: [deepJson(n)] } })],
];

function update(UpdateExpression: string, value: object = { N: "1" }): { operation: string; input: object } {
  const ExpressionAttributeValues = UpdateExpression.includes(":v") ? { ":v": value } : undefined;
  return { operation: "UpdateItem", input: { TableName, Key, UpdateExpression, ExpressionAttributeValues } };
}

function statement(where: string): { operation: string; input: object } {
  return { operation: "ExecuteStatement", input: { Statement: `SELECT * FROM ${TableName} WHERE ${where}` } };
}

describe.each([100, 5_000, 100_000])("nested %i levels deep", (depth) => {
  test.each(parts)("%s is accepted or rejected, and nothing else", async (_what, request) => {
    const { operation, input } = request(depth);
    const outcome = await engine.execute(operation, input).then(
      () => "accepted",
      (error: unknown) => (isDynamoError(error) ? "rejected" : error),
    );
    expect(["accepted", "rejected"]).toContain(outcome);
  });
});
