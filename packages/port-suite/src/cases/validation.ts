import type { DynamoPort, ReturnConsumedCapacity, ReturnValue } from "@tablekeep/core";
import { refuses } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";

const source = "AWS: API_PutItem, API_GetItem, API_UpdateItem, API_DeleteItem; public conformance suites";

type Call = (port: DynamoPort, TableName: string, pk: { S: string }) => Promise<unknown>;

const unknown = "FOO" as ReturnValue & ReturnConsumedCapacity & "ALL_OLD" & "SIZE" & "AND" & "EQ" & "PUT";
const ignores = "ignores an unknown value";

const refused: readonly (readonly [what: string, call: Call, says?: string, gap?: string])[] = [
  ["PutItem without an item", (port, TableName) => port.putItem({ TableName, Item: undefined })],
  ["PutItem without a table", (port, _, pk) => port.putItem({ TableName: undefined, Item: { pk } })],
  ["GetItem without a key", (port, TableName) => port.getItem({ TableName, Key: undefined })],
  ["UpdateItem without a key", (port, TableName) => port.updateItem({ TableName, Key: undefined })],
  ["DeleteItem without a key", (port, TableName) => port.deleteItem({ TableName, Key: undefined })],
  ["a table name with a space", (port, _, pk) => port.getItem({ TableName: "no table", Key: { pk } })],
  [
    "a table name of 256 characters",
    (port, _, pk) => port.getItem({ TableName: "t".repeat(256), Key: { pk } }),
  ],
  [
    "an unknown ReturnValues",
    (port, TableName, pk) => port.updateItem({ TableName, Key: { pk }, ReturnValues: unknown }),
  ],
  [
    "a ReturnValues in lower case",
    (port, TableName, pk) => port.putItem({ TableName, Item: { pk }, ReturnValues: "none" as "NONE" }),
  ],
  [
    "an unknown ReturnConsumedCapacity",
    (port, TableName, pk) => port.getItem({ TableName, Key: { pk }, ReturnConsumedCapacity: unknown }),
    "failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
    ignores,
  ],
  [
    "an unknown ReturnItemCollectionMetrics",
    (port, TableName, pk) => port.putItem({ TableName, Item: { pk }, ReturnItemCollectionMetrics: unknown }),
    "failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]",
    ignores,
  ],
  [
    "an unknown ReturnValuesOnConditionCheckFailure",
    (port, TableName, pk) =>
      port.putItem({
        TableName,
        Item: { pk },
        ConditionExpression: "attribute_exists(pk)",
        ReturnValuesOnConditionCheckFailure: unknown,
      }),
    "Value 'FOO' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]",
  ],
  [
    "an unknown ComparisonOperator",
    (port, TableName, pk) =>
      port.deleteItem({
        TableName,
        Key: { pk },
        Expected: { a: { ComparisonOperator: unknown, AttributeValueList: [{ N: "1" }] } },
      }),
  ],
  [
    "an unknown action of AttributeUpdates",
    (port, TableName, pk) =>
      port.updateItem({
        TableName,
        Key: { pk },
        AttributeUpdates: { a: { Action: unknown, Value: { N: "1" } } },
      }),
    "Member must satisfy enum value set: [ADD, DELETE, PUT]",
  ],
  [
    "a key that is no number in a table of another type",
    (port, TableName) => port.getItem({ TableName, Key: { pk: { N: "x" } } }),
  ],
];

export const validationCases: readonly PortCase[] = [
  ...refused.map(
    ([what, call, says, gap]): PortCase => ({
      name: `${what} is refused`,
      source,
      ...localGap(gap),
      async run({ port, tables, unique }) {
        await refuses(call(port, tables.simple, { S: unique() }), "ValidationException", says);
      },
    }),
  ),
  {
    name: "an expression is checked before the table is looked for",
    source: "public conformance suites",
    ...localGap("looks for the table first"),
    async run({ port, unique }) {
      const put = port.putItem({
        TableName: `absent-${unique()}`,
        Item: { pk: { S: "a" } },
        ConditionExpression: "a ==",
      });
      await refuses(put, "ValidationException", "Invalid ConditionExpression: Syntax error;");
    },
  },
  {
    name: "a wrong key is refused even where the condition would fail",
    source: "public conformance suites",
    async run({ port, tables, unique }) {
      const put = port.putItem({
        TableName: tables.composite,
        Item: { pk: { S: unique() } },
        ConditionExpression: "attribute_exists(pk)",
      });
      await refuses(put, "ValidationException");
    },
  },
];
