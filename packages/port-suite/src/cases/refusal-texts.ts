import type { DynamoExceptionName, DynamoPort, Item, ReturnValue } from "@tablekeep/core";
import { refuses } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";

const source = "public conformance suites";
const words = "words this refusal differently";

interface Row {
  readonly what: string;
  readonly call: (port: DynamoPort, world: PortWorld, pk: { S: string }) => Promise<unknown>;
  readonly says: string;
  readonly exception?: DynamoExceptionName;
}

const invalid = "One or more parameter values were invalid: ";
const notTheSchema = "The provided key element does not match the schema";
const noSuchTable = "Requested resource not found";

const simple = (port: DynamoPort, world: PortWorld, Item: Item) =>
  port.putItem({ TableName: world.tables.simple, Item });
const composite = (port: DynamoPort, world: PortWorld, Item: Item) =>
  port.putItem({ TableName: world.tables.composite, Item });
const indexed = (port: DynamoPort, world: PortWorld, pk: { S: string }, over: Item) =>
  port.putItem({ TableName: world.tables.indexed, Item: { pk, sk: { S: "a" }, ...over } });
const absent = (world: PortWorld) => ({ TableName: `absent-${world.unique()}`, Key: { pk: { S: "a" } } });

const tables: readonly Row[] = [
  {
    what: "GetItem of an absent table",
    call: (port, world) => port.getItem(absent(world)),
    exception: "ResourceNotFoundException",
    says: noSuchTable,
  },
  {
    what: "PutItem into an absent table",
    call: (port, world) => port.putItem({ TableName: absent(world).TableName, Item: { pk: { S: "a" } } }),
    exception: "ResourceNotFoundException",
    says: noSuchTable,
  },
  {
    what: "UpdateItem of an absent table",
    call: (port, world) => port.updateItem(absent(world)),
    exception: "ResourceNotFoundException",
    says: noSuchTable,
  },
  {
    what: "DeleteItem from an absent table",
    call: (port, world) => port.deleteItem(absent(world)),
    exception: "ResourceNotFoundException",
    says: noSuchTable,
  },
  {
    what: "a table name with a sign that it may not have",
    call: (port) => port.putItem({ TableName: "bad table!", Item: { pk: { S: "a" } } }),
    says: "Value 'bad table!' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
  },
  {
    what: "a table name of 256 characters",
    call: (port) => port.putItem({ TableName: "a".repeat(256), Item: { pk: { S: "a" } } }),
    says: "at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255",
  },
];

const keys: readonly Row[] = [
  {
    what: "PutItem without its partition key",
    call: (port, world) => simple(port, world, { a: { S: "x" } }),
    says: `${invalid}Missing the key pk in the item`,
  },
  {
    what: "PutItem without its sort key",
    call: (port, world, pk) => composite(port, world, { pk }),
    says: `${invalid}Missing the key sk in the item`,
  },
  {
    what: "PutItem with a key of another type",
    call: (port, world) => simple(port, world, { pk: { N: "1" } }),
    says: `${invalid}Type mismatch for key pk expected: S actual: N`,
  },
  {
    what: "GetItem without its sort key",
    call: (port, world, pk) => port.getItem({ TableName: world.tables.composite, Key: { pk } }),
    says: notTheSchema,
  },
  {
    what: "UpdateItem with a key attribute too many",
    call: (port, { tables: { simple: TableName } }, pk) => port.updateItem({ TableName, Key: { pk, a: pk } }),
    says: notTheSchema,
  },
  {
    what: "DeleteItem with a key of another type",
    call: (port, { tables: { simple: TableName } }) =>
      port.deleteItem({ TableName, Key: { pk: { N: "1" } } }),
    says: notTheSchema,
  },
  {
    what: "a partition key of 2,049 bytes",
    call: (port, world) => simple(port, world, { pk: { S: "k".repeat(2049) } }),
    says: `${invalid}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
  },
  {
    what: "a sort key of 1,025 bytes",
    call: (port, world, pk) => composite(port, world, { pk, sk: { S: "k".repeat(1025) } }),
    says: `${invalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
  },
  {
    what: "PutItem with an index key of another type",
    call: (port, world, pk) => indexed(port, world, pk, { l: { N: "1" } }),
    says: `${invalid}Type mismatch for Index Key l Expected: S Actual: N IndexName: by-l`,
  },
  {
    what: "UpdateItem of an index key to another type",
    call: (port, { tables: { indexed: TableName } }, pk) =>
      port.updateItem({
        TableName,
        Key: { pk, sk: pk },
        UpdateExpression: "SET g = :v",
        ExpressionAttributeValues: { ":v": { N: "1" } },
      }),
    says: "The update expression attempted to update the secondary index key to unsupported type",
  },
];

const numbers: readonly Row[] = [
  {
    what: "a number of 39 digits",
    call: (port, world, pk) => simple(port, world, { pk, a: { N: `1${"0".repeat(37)}1` } }),
    says: "Attempting to store more than 38 significant digits in a Number",
  },
  {
    what: "a word for a number",
    call: (port, world, pk) => simple(port, world, { pk, a: { N: "dog" } }),
    says: "The parameter cannot be converted to a numeric value: dog",
  },
];

const returns = (ReturnValues: ReturnValue | "FOO") => ({ ReturnValues: ReturnValues as ReturnValue });

const parameters: readonly Row[] = [
  {
    what: "PutItem with ReturnValues of updates",
    call: (port, { tables: { simple: TableName } }, pk) =>
      port.putItem({ TableName, Item: { pk }, ...returns("ALL_NEW") }),
    says: "ReturnValues can only be ALL_OLD or NONE",
  },
  {
    what: "DeleteItem with ReturnValues of updates",
    call: (port, { tables: { simple: TableName } }, pk) =>
      port.deleteItem({ TableName, Key: { pk }, ...returns("UPDATED_OLD") }),
    says: "ReturnValues can only be ALL_OLD or NONE",
  },
  {
    what: "unknown ReturnValues",
    call: (port, { tables: { simple: TableName } }, pk) =>
      port.updateItem({ TableName, Key: { pk }, ...returns("FOO") }),
    says: "failed to satisfy constraint: Member must satisfy enum value set: [",
  },
  {
    what: "GetItem without a key",
    call: (port, { tables: { simple: TableName } }) => port.getItem({ TableName, Key: undefined }),
    says: "Value null at 'key' failed to satisfy constraint: Member must not be null",
  },
  {
    what: "PutItem without an item",
    call: (port, { tables: { simple: TableName } }) => port.putItem({ TableName, Item: undefined }),
    says: "Value null at 'item' failed to satisfy constraint: Member must not be null",
  },
];

/** DynamoDB's messages where those of DynamoDB Local differ. That the calls are rejected at all is checked elsewhere. */
export const refusalTextCases: readonly PortCase[] = [...tables, ...keys, ...numbers, ...parameters].map(
  ({ what, call, says, exception = "ValidationException" }) => ({
    name: `${what} is refused in DynamoDB's words`,
    source,
    ...localGap(words),
    run: async (world) => {
      await refuses(call(world.port, world, { S: world.unique() }), exception, says);
    },
  }),
);
