import { openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engineCall, type WireCall } from "./partiql/wire-call.ts";

/*
 * AWS checks values in one of two layers with different words. Source: Parity Suite of 2026-10-09, tier3/error-messages,
 * valueLayers, captured in four regions.
 */

let close: () => Promise<void>;
let call: WireCall;

beforeAll(async () => {
  const engine = await openEngine({ storage: { kind: "memory" } });
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
  });
  call = engineCall(engine);
  close = () => engine.close();
});
afterAll(() => close());

const TableName = "things";
const pk = { S: "a" };
const invalid = "One or more parameter values were invalid: Input collection";
const noNumber = "The parameter cannot be converted to a numeric value";
const overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range";
const underflow =
  "Number underflow. Attempting to store a number with magnitude smaller than supported range";

const values: readonly (readonly [what: string, value: object, newer: string, older: string])[] = [
  ["an empty number", { N: "" }, `${noNumber}: `, noNumber],
  ["an empty number in a set", { NS: ["1", ""] }, `${noNumber}: `, noNumber],
  ["a number with the largest exponent", { N: "1e2147483647" }, overflow, underflow],
  ["a number with a larger exponent", { N: "1e2147483648" }, overflow, `${noNumber}: 1e2147483648`],
  [
    "a repeated string",
    { SS: ["b", "a", "b", "0"] },
    `${invalid} ["a", "b", "b", "0"] contains duplicates.`,
    `${invalid} [b, a, b, 0] contains duplicates.`,
  ],
  [
    "repeated bytes",
    { BS: ["/w==", "AA==", "AA=="] },
    `${invalid} ["AA==","/w==","AA=="]of type BS contains duplicates.`,
    `${invalid} [/w==, AA==, AA==]of type BS contains duplicates.`,
  ],
  [
    "a repeated number",
    { NS: ["2", "1", "2.0"] },
    `${invalid} contains duplicates.`,
    "Input collection contains duplicates",
  ],
];

type Request = (value: object) => readonly [operation: string, input: object];

const prefixed: Readonly<Record<string, Request>> = {
  "an item to put": (v) => ["PutItem", { TableName, Item: { pk, v } }],
  "an expectation": (v) => ["PutItem", { TableName, Item: { pk }, Expected: { v: { Value: v } } }],
  "an update": (v) => [
    "UpdateItem",
    { TableName, Key: { pk }, UpdateExpression: "SET v = :v", ExpressionAttributeValues: { ":v": v } },
  ],
  "a legacy update": (v) => ["UpdateItem", { TableName, Key: { pk }, AttributeUpdates: { v: { Value: v } } }],
  "a key to delete": (v) => ["DeleteItem", { TableName, Key: { pk: v } }],
};
const newer: Readonly<Record<string, Request>> = {
  "a key to get": (v) => ["GetItem", { TableName, Key: { pk: v } }],
  "a key in a batch": (v) => ["BatchGetItem", { RequestItems: { [TableName]: { Keys: [{ pk: v }] } } }],
  "a query": (v) => [
    "Query",
    { TableName, KeyConditionExpression: "pk = :v", ExpressionAttributeValues: { ":v": v } },
  ],
  "the start of a query": (v) => [
    "Query",
    {
      TableName,
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": pk },
      ExclusiveStartKey: { pk: v },
    },
  ],
};
const older: Readonly<Record<string, Request>> = {
  "an item in a batch": (v) => [
    "BatchWriteItem",
    { RequestItems: { [TableName]: [{ PutRequest: { Item: { pk, v } } }] } },
  ],
  "an item in a transaction": (v) => [
    "TransactWriteItems",
    { TransactItems: [{ Put: { TableName, Item: { pk, v } } }] },
  ],
  "a key in a transaction": (v) => [
    "TransactGetItems",
    { TransactItems: [{ Get: { TableName, Key: { pk: v } } }] },
  ],
};

describe.each(values)("%s", (_what, value, newerMessage, olderMessage) => {
  const rejection = (message: string) => ({ kind: "rejection", exception: "ValidationException", message });

  test.each(Object.entries(prefixed))(
    "in %s has the newer wording with a prefix",
    async (_place, request) => {
      expect(await call(...request(value))).toEqual(
        rejection(`1 validation error detected: ${newerMessage}`),
      );
    },
  );
  test.each(Object.entries(newer))("in %s has the newer wording", async (_place, request) => {
    expect(await call(...request(value))).toEqual(rejection(newerMessage));
  });
  test.each(Object.entries(older))("in %s has the older wording", async (_place, request) => {
    expect(await call(...request(value))).toEqual(rejection(olderMessage));
  });
  test("in a scan has the older wording, with its placeholder", async () => {
    const input = { TableName, FilterExpression: "a = :v", ExpressionAttributeValues: { ":v": value } };
    const message = `ExpressionAttributeValues contains invalid value: ${olderMessage} for key :v`;
    expect(await call("Scan", input)).toEqual(rejection(message));
  });
});

test("an empty BatchGetItem fails a constraint", async () => {
  const message =
    "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: " +
    "Member must have length greater than or equal to 1";
  expect(await call("BatchGetItem", { RequestItems: {} })).toMatchObject({ message });
});

test("an update expression that is too long is reported without its length", async () => {
  const input = { TableName, Key: { pk }, UpdateExpression: `SET a = :v${" ".repeat(4096)}` };
  const message = "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;";
  expect(await call("UpdateItem", { ...input, ExpressionAttributeValues: { ":v": pk } })).toMatchObject({
    message: `1 validation error detected: ${message}`,
  });
});
