import { n, pk, s } from "../attribute-values.ts";
import { cases, type Row, type Step } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const invalid = "One or more parameter values were invalid: ";
const schema = "The provided key element does not match the schema";
const noSuchTable = "ResourceNotFoundException: Requested resource not found";
const onlyOld = "ReturnValues can only be ALL_OLD or NONE";
const absent = { TableName: "absent-$name", Key: { pk } };
const key = { pk, sk: s("a") };

type Rejection = readonly [what: string, request: Step, rejected: string];

const tables: readonly Rejection[] = [
  ["GetItem of an absent table", { getItem: absent }, noSuchTable],
  ["PutItem into an absent table", { putItem: { TableName: "absent-$name", Item: { pk } } }, noSuchTable],
  ["UpdateItem of an absent table", { updateItem: absent }, noSuchTable],
  ["DeleteItem from an absent table", { deleteItem: absent }, noSuchTable],
  [
    "a table name with a sign that it may not have",
    { putItem: { TableName: "bad table!", Item: { pk } } },
    "Value 'bad table!' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
  ],
  [
    "a table name of 256 characters",
    { putItem: { TableName: "a".repeat(256), Item: { pk } } },
    "at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255",
  ],
];

const keys: readonly Rejection[] = [
  ["PutItem without its partition key", { putItem: { Item: { a: s("x") } } }, `${invalid}Missing the key pk in the item`],
  [
    "PutItem without its sort key",
    { putItem: { TableName: "$composite", Item: { pk } } },
    `${invalid}Missing the key sk in the item`,
  ],
  [
    "PutItem with a key of another type",
    { putItem: { Item: { pk: n(1) } } },
    `${invalid}Type mismatch for key pk expected: S actual: N`,
  ],
  ["GetItem without its sort key", { getItem: { TableName: "$composite", Key: { pk } } }, schema],
  ["UpdateItem with a key attribute too many", { updateItem: { Key: { pk, a: pk } } }, schema],
  ["DeleteItem with a key of another type", { deleteItem: { Key: { pk: n(1) } } }, schema],
  [
    "a partition key of 2,049 bytes",
    { putItem: { Item: { pk: s("k".repeat(2049)) } } },
    `${invalid}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
  ],
  [
    "a sort key of 1,025 bytes",
    { putItem: { TableName: "$composite", Item: { pk, sk: s("k".repeat(1025)) } } },
    `${invalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
  ],
  [
    "PutItem with an index key of another type",
    { putItem: { TableName: "$indexed", Item: { ...key, l: n(1) } } },
    `${invalid}Type mismatch for Index Key l Expected: S Actual: N IndexName: by-l`,
  ],
  [
    "UpdateItem of an index key to another type",
    {
      updateItem: { TableName: "$indexed", Key: key, UpdateExpression: "SET g = :v", ExpressionAttributeValues: { ":v": n(1) } },
    },
    "The update expression attempted to update the secondary index key to unsupported type",
  ],
];

const parameters: readonly Rejection[] = [
  [
    "a number of 39 digits",
    { putItem: { Item: { pk, a: n(`1${"0".repeat(37)}1`) } } },
    "Attempting to store more than 38 significant digits in a Number",
  ],
  [
    "a word for a number",
    { putItem: { Item: { pk, a: n("dog") } } },
    "The parameter cannot be converted to a numeric value: dog",
  ],
  ["PutItem with ReturnValues of updates", { putItem: { Item: { pk }, ReturnValues: "ALL_NEW" } }, onlyOld],
  ["DeleteItem with ReturnValues of updates", { deleteItem: { Key: { pk }, ReturnValues: "UPDATED_OLD" } }, onlyOld],
  [
    "unknown ReturnValues",
    { updateItem: { Key: { pk }, ReturnValues: "FOO" as "NONE" } },
    "to satisfy constraint: Member must satisfy enum value set: [",
  ],
  [
    "GetItem without a key",
    { getItem: { Key: undefined } },
    "Value null at 'key' failed to satisfy constraint: Member must not be null",
  ],
  [
    "PutItem without an item",
    { putItem: { Item: undefined } },
    "Value null at 'item' failed to satisfy constraint: Member must not be null",
  ],
];

/** DynamoDB's messages where those of DynamoDB Local differ. That the calls are rejected at all is checked elsewhere. */
export const rejectionTextCases: readonly PortCase[] = cases(
  { source: "public conformance suites", gap: "words this rejection differently", table: "simple" },
  [...tables, ...keys, ...parameters].map(
    ([what, request, rejected]): Row => ({ name: `${what} is rejected in DynamoDB's words`, ...request, rejected }),
  ),
);
