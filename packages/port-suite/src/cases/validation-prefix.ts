import type { DynamoPort, Item, PutItemInput, UpdateItemInput } from "@tablekeep/core";
import { refuses } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";

/*
 * Since 2026 AWS puts a prefix before what it rejects in PutItem, UpdateItem and DeleteItem without looking at the table.
 * What depends on the table, and what other operations refuse, stays without it.
 */

const source = "Parity Suite of 2026-10-09: tier3/error-messages, captured in four regions";
const prefix = "1 validation error detected: ";
const invalid = "One or more parameter values were invalid: ";

interface Row {
  readonly what: string;
  /** Members of a PutItem, UpdateItem and DeleteItem request beside the table and the key. */
  readonly over: Partial<PutItemInput> & Partial<UpdateItemInput>;
  readonly says: string;
}

const ofEachWrite: readonly Row[] = [
  {
    what: "values without an expression",
    over: { ExpressionAttributeValues: { ":v": { S: "x" } } },
    says: "ExpressionAttributeValues can only be specified when using expressions",
  },
  {
    what: "names without an expression",
    over: { ExpressionAttributeNames: { "#a": "a" } },
    says: "ExpressionAttributeNames can only be specified when using expressions",
  },
  {
    what: "an empty condition",
    over: { ConditionExpression: "" },
    says: "Invalid ConditionExpression: The expression can not be empty;",
  },
  {
    what: "a condition with a value that is not given",
    over: { ConditionExpression: "a = :v" },
    says: "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :v",
  },
  {
    what: "a condition with a number that is too large",
    over: { ConditionExpression: "a = :v", ExpressionAttributeValues: { ":v": { N: "1e126" } } },
    says: "Number overflow. Attempting to store a number with magnitude larger than supported range",
  },
  {
    what: "an expectation without a value",
    over: { Expected: { a: { Exists: true } } },
    says: `${invalid}Value must be provided when Exists is true for Attribute: a`,
  },
];

type Call = (world: PortWorld, over: object) => Promise<unknown>;

const keyOf = (world: PortWorld): Item => ({ pk: { S: world.unique() } });
const writes: Readonly<Record<string, Call>> = {
  PutItem: (world, over) =>
    world.port.putItem({ TableName: world.tables.simple, Item: keyOf(world), ...over }),
  UpdateItem: (world, over) =>
    world.port.updateItem({ TableName: world.tables.simple, Key: keyOf(world), ...over }),
  DeleteItem: (world, over) =>
    world.port.deleteItem({ TableName: world.tables.simple, Key: keyOf(world), ...over }),
};

const exactly = (text: string) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);

const prefixed: readonly PortCase[] = Object.entries(writes).flatMap(([operation, call]) =>
  ofEachWrite.map(
    ({ what, over, says }): PortCase => ({
      name: `${operation} reports ${what} as a validation error`,
      source,
      ...localGap("has no prefix"),
      async run(world) {
        await refuses(call(world, over), "ValidationException", exactly(prefix + says));
      },
    }),
  ),
);

const n: Item = { pk: { S: "a" }, n: { N: "abc" } };
const notANumber = "The parameter cannot be converted to a numeric value: abc";

const bare: readonly {
  what: string;
  call: (port: DynamoPort, world: PortWorld) => Promise<unknown>;
  says: string;
}[] = [
  {
    what: "PutItem refuses a key of the wrong type",
    call: (port, { tables }) => port.putItem({ TableName: tables.simple, Item: { pk: { N: "1" } } }),
    says: `${invalid}Type mismatch for key pk expected: S actual: N`,
  },
  {
    what: "PutItem refuses an index key of the wrong type",
    call: (port, { tables, unique }) =>
      port.putItem({
        TableName: tables.indexed,
        Item: { pk: { S: unique() }, sk: { S: "a" }, g: { N: "1" } },
      }),
    says: `${invalid}Type mismatch for Index Key g Expected: S Actual: N IndexName: by-g`,
  },
  {
    what: "BatchWriteItem refuses an index key of the wrong type",
    call: (port, { tables, unique }) =>
      port.batchWriteItem({
        RequestItems: {
          [tables.indexed]: [
            { PutRequest: { Item: { pk: { S: unique() }, sk: { S: "a" }, g: { N: "1" } } } },
          ],
        },
      }),
    says: `${invalid}Type mismatch for Index Key g Expected: S Actual: N IndexName: by-g`,
  },
  {
    what: "UpdateItem refuses to change the key",
    call: (port, { tables }) =>
      port.updateItem({
        TableName: tables.simple,
        Key: { pk: { S: "a" } },
        UpdateExpression: "SET pk = :v",
        ExpressionAttributeValues: { ":v": { S: "b" } },
      }),
    says: `${invalid}Cannot update attribute pk. This attribute is part of the key`,
  },
  {
    what: "DeleteItem refuses a key that does not match",
    call: (port, { tables }) => port.deleteItem({ TableName: tables.composite, Key: { pk: { S: "a" } } }),
    says: "The provided key element does not match the schema",
  },
  {
    what: "GetItem refuses a malformed number",
    call: (port, { tables }) => port.getItem({ TableName: tables.simple, Key: { pk: { N: "abc" } } }),
    says: notANumber,
  },
  {
    what: "BatchWriteItem refuses a malformed number",
    call: (port, { tables }) =>
      port.batchWriteItem({ RequestItems: { [tables.simple]: [{ PutRequest: { Item: n } }] } }),
    says: notANumber,
  },
  {
    what: "TransactWriteItems refuses a malformed number",
    call: (port, { tables }) =>
      port.transactWriteItems({ TransactItems: [{ Put: { TableName: tables.simple, Item: n } }] }),
    says: notANumber,
  },
  {
    what: "Query refuses a malformed number, and does not name its placeholder",
    call: (port, { tables }) =>
      port.query({
        TableName: tables.simple,
        KeyConditionExpression: "pk = :p",
        FilterExpression: "n = :v",
        ExpressionAttributeValues: { ":p": { S: "a" }, ":v": { N: "abc" } },
      }),
    says: notANumber,
  },
  {
    what: "Scan refuses a malformed number, and names its placeholder",
    call: (port, { tables }) =>
      port.scan({
        TableName: tables.simple,
        FilterExpression: "n = :v",
        ExpressionAttributeValues: { ":v": { N: "abc" } },
      }),
    says: `ExpressionAttributeValues contains invalid value: ${notANumber} for key :v`,
  },
  {
    what: "BatchWriteItem refuses an empty attribute name",
    call: (port, { tables }) =>
      port.batchWriteItem({
        RequestItems: { [tables.simple]: [{ PutRequest: { Item: { pk: { S: "a" }, "": { S: "b" } } } }] },
      }),
    says: "Empty attribute name",
  },
  {
    what: "BatchWriteItem refuses an attribute name of 64 KB, at any depth",
    call: (port, { tables }) =>
      port.batchWriteItem({
        RequestItems: {
          [tables.simple]: [
            { PutRequest: { Item: { pk: { S: "a" }, m: { M: { ["a".repeat(65_536)]: { S: "b" } } } } } },
          ],
        },
      }),
    says: "Attribute name is too large, must be less than 65536 bytes",
  },
];

/** What DynamoDB Local answers as the suite has it. */
const alsoLocal: ReadonlySet<string> = new Set([
  "UpdateItem refuses to change the key",
  "BatchWriteItem refuses an empty attribute name",
]);

export const validationPrefixCases: readonly PortCase[] = [
  ...prefixed,
  ...bare.map(
    ({ what, call, says }): PortCase => ({
      name: `${what}, without a prefix`,
      source,
      ...localGap(alsoLocal.has(what) ? undefined : "words this refusal differently"),
      async run(world) {
        await refuses(call(world.port, world), "ValidationException", exactly(says));
      },
    }),
  ),
];
