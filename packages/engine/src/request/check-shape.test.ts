import { expect, test } from "vitest";
import { define, keySchema, openTestDatabase, rejectionOf, tableInput } from "../../test/tables.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { answerRequest } from "./answer-request.ts";

const { database } = openTestDatabase(new MemoryStorage());
const rejected = (operation: string, input: object) => rejectionOf(answerRequest(database, operation, input));
const constraint = "failed to satisfy constraint: Member must";

/** DynamoDB's table operations and item operations have different messages. */
test.each([
  "CreateTable",
  "UpdateTable",
  "DescribeTable",
  "DeleteTable",
  "UpdateTimeToLive",
  "DescribeTimeToLive",
])("%s without a table reports that first", async (operation) => {
  const words =
    "ValidationException: The parameter 'TableName' is required but was not present in the request";
  expect(await rejected(operation, {})).toBe(words);
  expect(await rejected(operation, { TableName: null, KeySchema: [] })).toBe(words);
});

test("an item operation without a table reports that among other problems", async () => {
  expect(await rejected("GetItem", {})).toBe(
    `ValidationException: 2 validation errors detected: Value null at 'tableName' ${constraint} not be null; ` +
      `Value null at 'key' ${constraint} not be null`,
  );
});

test.each([
  "PutItem",
  "GetItem",
  "UpdateItem",
  "DeleteItem",
  "Query",
  "Scan",
  "CreateTable",
  "DescribeTable",
])("%s with an invalid table name reports nothing else", async (operation) => {
  const others = { Key: {}, Item: {}, ReturnConsumedCapacity: "SOME", BillingMode: "FREE", Limit: 0 };
  const least = operation.endsWith("Table") ? 3 : 1;
  const isWrite = /^(Put|Update|Delete)Item$/.test(operation);
  const empty = isWrite ? "Value at 'TableName'" : "Value '' at 'tableName'";
  expect(await rejected(operation, { TableName: "", ...others })).toBe(
    `ValidationException: 1 validation error detected: ${empty} ${constraint} have length greater than or equal to ${least}`,
  );
  expect(await rejected(operation, { TableName: "not a name", ...others })).toBe(
    `ValidationException: 1 validation error detected: Value 'not a name' at 'tableName' ${constraint} satisfy regular expression pattern: [a-zA-Z0-9_.-]+`,
  );
});

test("JSON of the wrong type is reported before an invalid table name", async () => {
  expect(await rejected("PutItem", { TableName: "", Item: 5 })).toMatch(/^SerializationException/);
  expect(await rejected("CreateTable", { KeySchema: 5 })).toMatch(/^SerializationException/);
});

test("an update with an invalid ReturnValues reports nothing else, other writes report all problems", async () => {
  const wrong = { TableName: "things", Key: {}, Item: {}, ReturnValues: "X", ReturnConsumedCapacity: "X" };
  expect(await rejected("UpdateItem", wrong)).toMatch(
    /: 1 validation error detected: Failed to satisfy constraint: Member must satisfy enum value set: /,
  );
  expect(await rejected("PutItem", wrong)).toMatch(/: 2 validation errors detected: /);
  expect(await rejected("DeleteItem", wrong)).toMatch(/: 2 validation errors detected: /);
});

test("a key of too many attributes is printed as DynamoDB does", async () => {
  const KeySchema = [...keySchema("pk", "sk"), { AttributeName: "x", KeyType: "RANGE" as const }];
  expect(
    await rejected("CreateTable", tableInput({ KeySchema, AttributeDefinitions: define("pk", "sk", "x") })),
  ).toBe(
    "ValidationException: 1 validation error detected: Value '[KeySchemaElement(attributeName=pk, keyType=HASH), " +
      "KeySchemaElement(attributeName=sk, keyType=RANGE), KeySchemaElement(attributeName=x, keyType=RANGE)]' " +
      `at 'keySchema' ${constraint} have length less than or equal to 2`,
  );
});

test("a key of hostile elements is rejected", async () => {
  const strange = JSON.parse('[{"AttributeName":{"__proto__":1},"KeyType":[]},null,1]') as unknown[];
  for (const element of strange) {
    const input = { ...tableInput(), KeySchema: [element, element, element] };
    expect(await rejected("CreateTable", input)).toMatch(/^(Validation|Serialization)Exception/);
  }
  const odd = { AttributeName: Object.create(null) as object, KeyType: "HASH" };
  expect(await rejected("CreateTable", { ...tableInput(), KeySchema: [odd, odd, odd] })).toMatch(
    /^SerializationException/,
  );
});

test("something that is not a value is reported before the legacy parameter that contains it", async () => {
  const AttributeUpdates = { m: { Action: "DELETE", Value: { M: {} } } };
  for (const strange of [null, undefined, 5, "x", []]) {
    const Expected = { a: { ComparisonOperator: "CONTAINS", AttributeValueList: [strange] } };
    expect(
      await rejected("UpdateItem", {
        TableName: "things",
        Key: { pk: { S: "a" } },
        Expected,
        AttributeUpdates,
      }),
    ).toMatch(/^SerializationException/);
  }
});

test("a limit of zero has different messages for a query and a scan", async () => {
  const words = "failed to satisfy constraint: Member must have value greater than or equal to 1";
  expect(await rejected("Query", { TableName: "things", Limit: 0 })).toBe(
    `ValidationException: 1 validation error detected: Value at 'Limit' ${words}`,
  );
  expect(await rejected("Scan", { TableName: "things", Limit: 0 })).toBe(
    `ValidationException: 1 validation error detected: Value '0' at 'limit' ${words}`,
  );
});

test("batches that are too large have DynamoDB's messages", async () => {
  const Keys = Array.from({ length: 101 }, (_, at) => ({ pk: { S: String(at) } }));
  expect(await rejected("BatchGetItem", { RequestItems: { "a.b": { Keys } } })).toBe(
    "ValidationException: 1 validation error detected: Value at 'RequestItems.a.b.member.Keys' " +
      `${constraint} have length less than or equal to 100`,
  );
  const requests = Keys.slice(0, 26).map((Item) => ({ PutRequest: { Item } }));
  const limits =
    "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: " +
    "[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]";
  const tooMany = await rejected("BatchWriteItem", { RequestItems: { things: requests } });
  expect(tooMany).toMatch(/^ValidationException: 1 validation error detected: Value '\{things=\[.+\]\}' at /);
  expect(tooMany.endsWith(limits)).toBe(true);
  expect(
    await rejected("BatchWriteItem", { RequestItems: { things: [], more: requests.slice(0, 1) } }),
  ).toContain("Value '{things=[], more=[{");
});

test("a batch reports errors in expressions before it looks up a table", async () => {
  const Keys = [{ pk: { S: "1" } }];
  const RequestItems = {
    nowhere: { Keys },
    "nowhere-else": { Keys, ExpressionAttributeNames: { "#a": "a" } },
  };
  expect(await rejected("BatchGetItem", { RequestItems })).toContain(
    "ExpressionAttributeNames can only be specified when using expressions",
  );
});

test("a batch must not mix AttributesToGet and ProjectionExpression", async () => {
  const Keys = [{ pk: { S: "1" } }];
  const RequestItems = { one: { Keys, ProjectionExpression: "a" }, two: { Keys, AttributesToGet: ["a"] } };
  expect(await rejected("BatchGetItem", { RequestItems })).toBe(
    "ValidationException: Can not use both expression and non-expression parameters in the same request: " +
      "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}",
  );
});

test("a batch with an invalid name of a table reports the whole map, with other problems", async () => {
  const limits =
    "Map keys must satisfy constraint: [Member must have length less than or equal to 255, Member must have length " +
    "greater than or equal to 3, Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]";
  const RequestItems = { "bad!name": { Keys: [{ pk: { S: "a" } }] } };
  expect(await rejected("BatchGetItem", { RequestItems, ReturnConsumedCapacity: "SOME" })).toBe(
    'ValidationException: 2 validation errors detected: Value \'{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}\' at ' +
      `'requestItems' failed to satisfy constraint: ${limits}; Value 'SOME' at 'returnConsumedCapacity' ${constraint} ` +
      "satisfy enum value set: [INDEXES, TOTAL, NONE]",
  );
  const writes = { ab: [{ PutRequest: { Item: { pk: { S: "a" } } } }] };
  expect(await rejected("BatchWriteItem", { RequestItems: writes })).toContain(limits);
});

test("names of global indexes are reported before those of local ones", async () => {
  const index = (IndexName: string) => ({
    IndexName,
    KeySchema: keySchema("pk", "x"),
    Projection: { ProjectionType: "ALL" },
  });
  const input = {
    ...tableInput(),
    LocalSecondaryIndexes: [index("aa")],
    GlobalSecondaryIndexes: [index("zz")],
  };
  expect(await rejected("CreateTable", input)).toMatch(
    /2 validation errors.*'zz' at 'global.*'aa' at 'local/,
  );
});
