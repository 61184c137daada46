import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startDynamoDb } from "../../src/server/dynamodb/start-dynamodb.ts";
import { call, send, target } from "./raw-dynamodb.ts";

const server = await startDynamoDb({ port: 0 });
const { endpoint } = server;
afterAll(() => server.stop());

beforeAll(async () => {
  await call(endpoint, "CreateTable", {
    TableName: "things",
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
    BillingMode: "PAY_PER_REQUEST",
  });
  const isActive = async () => {
    const { Table } = (await call(endpoint, "DescribeTable", { TableName: "things" })).json();
    return (Table as { TableStatus: string }).TableStatus === "ACTIVE";
  };
  await vi.waitUntil(isActive, 120_000);
});

const serialization = "com.amazon.coral.service#SerializationException";
const validation = "com.amazon.coral.validate#ValidationException";

describe("a body that is not JSON is a SerializationException without a message", () => {
  test.each([
    "",
    " ",
    "{",
    "}",
    "{]",
    "[",
    "{}}",
    "{} {}",
    "{'TableName':'a'}",
    '{"TableName":"a",}',
    '{"TableName"}',
    '{"TableName":}',
    '{"TableName":undefined}',
    '{"TableName":NaN}',
    '{"TableName":01}',
    '{"TableName":"a\nb"}',
    '{"TableName":"\\x"}',
    '{"TableName":"\\u12"}',
    "TableName=a",
    "<TableName>a</TableName>",
    "\ufeff{}",
    "nul",
    "tru",
    "// a comment\n{}",
    "{/**/}",
    "\u0000",
    `${"[".repeat(100_000)}`,
  ])("%j", async (body) => {
    const answer = await call(endpoint, "GetItem", body);
    expect([answer.status, answer.json()]).toEqual([400, { __type: serialization }]);
  });
});

test("a body that is not UTF-8 is a SerializationException, and nothing is stored", async () => {
  const head = Buffer.from('{"TableName":"things","Item":{"id":{"S":"latin ');
  const bodies = [[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80]].map((bytes) =>
    Buffer.concat([head, Buffer.from(bytes), Buffer.from('"}}}')]),
  );
  const answers = await Promise.all(bodies.map((body) => send(endpoint, target("PutItem"), body)));
  expect(answers.map(({ status, json }) => [status, json()])).toEqual(
    bodies.map(() => [400, { __type: serialization }]),
  );
  const stored = await call(endpoint, "Scan", {
    TableName: "things",
    FilterExpression: "begins_with(id, :l)",
    ExpressionAttributeValues: { ":l": { S: "latin" } },
  });
  expect(stored.json()).toMatchObject({ Count: 0 });
});

/** JSON of every type, where a request, a string, a number, a flag, a list, a map or a value is expected. */
const odd: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  "",
  "text",
  "\u0000",
  [],
  [[]],
  [null],
  [{}],
  ["S"],
  {},
  { S: null },
  { S: 1 },
  { S: "a", N: "1" },
  { N: 1 },
  { N: "x" },
  { B: "%%" },
  { B: 1 },
  { BOOL: "true" },
  { NULL: false },
  { SS: [] },
  { SS: "a" },
  { SS: [1] },
  { L: {} },
  { L: [1] },
  { M: [] },
  { M: { a: 1 } },
  { X: "y" },
  { __proto__: null, constructor: { prototype: { polluted: true } } },
  JSON.parse('{"__proto__":{"polluted":true}}'),
];

const places: readonly (readonly [operation: string, request: (value: unknown) => unknown])[] = [
  ["GetItem", (value) => value],
  ["GetItem", (TableName) => ({ TableName, Key: { id: { S: "1" } } })],
  ["GetItem", (Key) => ({ TableName: "things", Key })],
  ["GetItem", (id) => ({ TableName: "things", Key: { id } })],
  ["PutItem", (Item) => ({ TableName: "things", Item })],
  ["PutItem", (value) => ({ TableName: "things", Item: { id: { S: "1" }, value } })],
  [
    "PutItem",
    (value) => ({ TableName: "things", Item: { id: { S: "1" }, deep: { M: { l: { L: [value] } } } } }),
  ],
  ["UpdateItem", (UpdateExpression) => ({ TableName: "things", Key: { id: { S: "1" } }, UpdateExpression })],
  ["Query", (Limit) => ({ TableName: "things", KeyConditionExpression: "id = :i", Limit })],
  [
    "Query",
    (ExpressionAttributeValues) => ({
      TableName: "things",
      KeyConditionExpression: "id = :i",
      ExpressionAttributeValues,
    }),
  ],
  ["Scan", (ConsistentRead) => ({ TableName: "things", ConsistentRead })],
  ["BatchGetItem", (RequestItems) => ({ RequestItems })],
  ["BatchWriteItem", (things) => ({ RequestItems: { things } })],
  ["TransactWriteItems", (TransactItems) => ({ TransactItems })],
  ["TransactWriteItems", (action) => ({ TransactItems: [action] })],
  ["CreateTable", (KeySchema) => ({ TableName: "other", KeySchema, AttributeDefinitions: [] })],
  ["UpdateTable", (value) => value],
  ["ListTables", (Limit) => ({ Limit })],
  ["ExecuteStatement", (Statement) => ({ Statement })],
  ["TagResource", (Tags) => ({ ResourceArn: "arn", Tags })],
];

describe("JSON of the wrong shape gets DynamoDB's own response, and nothing else", () => {
  const named = places.map(([operation, request]) => ({
    operation,
    request,
    name: `${operation} ${JSON.stringify(request("…"))}`,
  }));
  test.each(named)("$name", async ({ operation, request }) => {
    for (const value of odd) {
      const body = JSON.stringify(request(value));
      const answer = await call(endpoint, operation, body);
      const type = String(answer.json()["__type"] ?? "");
      const words = answer.json()["message"] ?? answer.json()["Message"] ?? "";
      expect({ body, status: answer.status < 500, type }).toEqual({ body, status: true, type });
      if (answer.status === 200) continue;
      expect({ body, status: answer.status }).toEqual({ body, status: 400 });
      expect(type).toMatch(
        /^com\.amazon(\.coral\.(service|validate)|aws\.dynamodb\.v20120810)#\w+Exception$/,
      );
      expect(answer.json()).not.toHaveProperty(type === serialization ? "message" : "Message");
      expect(String(words)).not.toMatch(/undefined|\[object|TypeError|at \w+ \(/);
    }
    expect(({} as { polluted?: true }).polluted).toBe(undefined);
  });
});

describe("a value of the wrong JSON type is reported by its type, before any validation", () => {
  test.each([
    [{ TableName: 1 }, serialization, "NUMBER_VALUE cannot be converted to String"],
    [{ TableName: true }, serialization, "TRUE_VALUE cannot be converted to String"],
    [{ TableName: [] }, serialization, /collection|list/i],
    [{ TableName: {} }, serialization, /structure|collection|map/i],
    [{ TableName: "things", Key: "x" }, serialization, /String|STRING_VALUE|map/i],
    [{ TableName: "", Key: {} }, validation, /Member must/],
    [{}, validation, /Member must not be null/],
  ] as const)("%j", async (input, type, words) => {
    const answer = await call(endpoint, "GetItem", input);
    expect(answer.status).toBe(400);
    expect(answer.json()["__type"]).toBe(type);
    const output = answer.json()[type === serialization ? "Message" : "message"];
    if (typeof words === "string") expect(output).toBe(words);
    else expect(output).toMatch(words);
  });
});

test("the server has survived all of this", async () => {
  expect((await call(endpoint, "ListTables", {})).json()).toEqual({ TableNames: ["things"] });
});
