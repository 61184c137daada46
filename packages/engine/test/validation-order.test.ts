/**
 * Which problem a request with several is rejected for, and in which words. Expected answers: the Parity Suite
 * (paritysuite/dynamodb-conformance) of 2026-10-09, `validation-ordering`, captured in us-east-1 and eu-west-2 and in part
 * in eight more regions.
 */
import { expect, test } from "vitest";
import { answerRequest } from "../src/request/answer-request.ts";
import { MemoryStorage } from "../src/storage/memory-storage.ts";
import { openTestDatabase, rejectionOf } from "./tables.ts";

const { database } = openTestDatabase(new MemoryStorage());
const rejected = async (operation: string, input: object) =>
  (await rejectionOf(answerRequest(database, operation, input))).replace("ValidationException: ", "");

const TableName = "absent";
const text = (S: string) => ({ S });
const key = { pk: text("a"), sk: text("1") };
const nested = (levels: number): object => (levels === 0 ? text("leaf") : { M: { n: nested(levels - 1) } });
const one = (message: string) => `1 validation error detected: ${message}`;
const constraint = "failed to satisfy constraint: Member must";
const tooDeep =
  "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";
const emptyName = "Empty attribute name";

const capacity = `Value 'X' at 'returnConsumedCapacity' ${constraint} satisfy enum value set: [INDEXES, TOTAL, NONE]`;
const olderReturnValues = `Value 'X' at 'returnValues' ${constraint} satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]`;
const newerReturnValues =
  "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]";
const olderOperator = `Value 'XOR' at 'conditionalOperator' ${constraint} satisfy enum value set: [OR, AND]`;
const newerOperator = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]";
const noKey = `Value null at 'key' ${constraint} not be null`;
const newerTableName = `Value at 'TableName' ${constraint} have length greater than or equal to 1`;
const olderTableName = `Value '' at 'tableName' ${constraint} have length greater than or equal to 1`;

test("a single write reports an empty table name alone, in the newer words", async () => {
  const wrong = { TableName: "", ReturnValues: "X", ReturnConsumedCapacity: "X" };
  expect(await rejected("PutItem", { ...wrong, Item: key })).toBe(one(newerTableName));
  expect(await rejected("UpdateItem", { ...wrong, Key: key })).toBe(one(newerTableName));
  expect(await rejected("DeleteItem", { ...wrong, Key: key })).toBe(one(newerTableName));
});

test("an update reports an unknown ReturnValues alone, a delete with others", async () => {
  const wrong = { TableName, Key: key, ReturnValues: "X", ReturnConsumedCapacity: "X" };
  expect(await rejected("UpdateItem", wrong)).toBe(one(newerReturnValues));
  expect(await rejected("DeleteItem", wrong)).toBe(
    `2 validation errors detected: ${capacity}; ${newerReturnValues}`,
  );
});

test("an update without a key reports everything, in the older words", async () => {
  const update = { UpdateExpression: "SET a = :a", ExpressionAttributeValues: { ":a": text("x") } };
  expect(await rejected("UpdateItem", { TableName: "", ...update })).toBe(
    `2 validation errors detected: ${olderTableName}; ${noKey}`,
  );
  const enums = { ReturnConsumedCapacity: "X", ReturnValues: "X" };
  expect(await rejected("UpdateItem", { TableName: "", ...update, ...enums })).toBe(
    `4 validation errors detected: ${capacity}; ${olderTableName}; ${olderReturnValues}; ${noKey}`,
  );
  const legacy = { Expected: { a: { Exists: false }, b: { Exists: false } }, ConditionalOperator: "XOR" };
  expect(await rejected("UpdateItem", { TableName, ...legacy })).toBe(
    `2 validation errors detected: ${olderOperator}; ${noKey}`,
  );
});

test("an unknown ConditionalOperator is reported alone: with a prefix by writes, without by a query", async () => {
  const isNull = { ComparisonOperator: "NULL" };
  const KeyConditions = { pk: { ComparisonOperator: "EQ", AttributeValueList: [text("a")] } };
  const query = { TableName, KeyConditions, QueryFilter: { b: isNull, c: isNull }, Select: "X" };
  expect(await rejected("Query", { ...query, ConditionalOperator: "XOR" })).toBe(newerOperator);
  const mixed = {
    TableName,
    KeyConditionExpression: "pk = :v",
    ExpressionAttributeValues: { ":v": text("a") },
  };
  expect(await rejected("Query", { ...mixed, ConditionalOperator: "XOR" })).toMatch(/^Can not use both /);
  const expected = (value: object) => ({ Expected: { a: { Value: value }, b: { Exists: false } } });
  const put = { TableName, Item: key, ConditionalOperator: "XOR" };
  expect(await rejected("PutItem", { ...put, ...expected(nested(40)) })).toBe(one(newerOperator));
  expect(await rejected("PutItem", { ...put, ...expected(nested(100)) })).toBe(one(olderOperator));
});

test("a delete with a value of more than 62 levels reports ReturnValues in the older words", async () => {
  const wrong = (levels: number, ReturnValues: string) =>
    rejected("DeleteItem", {
      TableName,
      Key: key,
      ConditionExpression: "d = :deep",
      ExpressionAttributeValues: { ":deep": nested(levels) },
      ReturnValues,
    });
  expect(await wrong(40, "X")).toBe(one(newerReturnValues));
  expect(await wrong(63, "X")).toBe(one(olderReturnValues));
  expect(await wrong(40, "UPDATED_NEW")).toBe(one("ReturnValues can only be ALL_OLD or NONE"));
  expect(await wrong(100, "UPDATED_NEW")).toBe("ReturnValues can only be ALL_OLD or NONE");
});

test("a batch of writes reports an unknown enum value rather than a wrong table name", async () => {
  const RequestItems = { "bad!name": [{ PutRequest: { Item: key } }] };
  const wrongName = await rejected("BatchWriteItem", { RequestItems });
  expect(wrongName).toMatch(/^1 validation error detected: Value .+ at 'requestItems' .+ Map keys must /);
  expect(await rejected("BatchWriteItem", { RequestItems, ReturnConsumedCapacity: "X" })).toBe(one(capacity));
  const reads = { RequestItems: { "bad!name": { Keys: [key] } }, ReturnConsumedCapacity: "X" };
  expect(await rejected("BatchGetItem", reads)).toMatch(/^2 validation errors detected: .+ Map keys must /);
});

const put = (more: object) => ({ Put: { TableName, Item: { ...key, ...more } } });
const syntax = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"';
const wrongCondition = { Put: { TableName, Item: key, ConditionExpression: "a = = b" } };
const remove = (levels: number, more: object = {}) => ({
  Delete: { TableName, Key: { ...key, pk: nested(levels) }, ...more },
});

test.each<[name: string, actions: readonly object[], message: string]>([
  ["a deep value, then an empty name", [put({ d: nested(40) }), put({ "": text("x") })], tooDeep],
  ["an empty name, then a deep value", [put({ "": text("x") }), put({ d: nested(100) })], emptyName],
  ["an empty name before a deep value of an item", [put({ "": text("x"), d: nested(100) })], emptyName],
  ["an empty name after a deep value of an item", [put({ d: nested(100), "": text("x") })], emptyName],
  [
    "an empty name in a map, and a deep value",
    [put({ m: { M: { "": text("x") } }, d: nested(40) })],
    tooDeep,
  ],
  ["a deep key, then a wrong condition", [remove(40), wrongCondition], tooDeep],
  ["a wrong condition, then a deep key", [wrongCondition, remove(100)], syntax],
  ["a wrong condition and a deep key", [remove(100, { ConditionExpression: "a = = b" })], syntax],
])("a transaction with %s", async (_name, TransactItems, message) => {
  expect(await rejected("TransactWriteItems", { TransactItems })).toBe(message);
});
