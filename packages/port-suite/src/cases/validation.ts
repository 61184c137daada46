import { n, pk, s } from "../attribute-values.ts";
import { cases, type Row, type Step } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: a value that no enumeration has
const unknown: any = "FOO";
const ignores = "ignores an unknown value";
const Key = { pk };
const enumeration = "failed to satisfy constraint: Member must satisfy enum value set: ";

const rejected: readonly (readonly [what: string, request: Step, says?: string, gap?: string])[] = [
  ["PutItem without an item", { putItem: { Item: undefined } }],
  ["PutItem without a table", { putItem: { TableName: undefined, Item: Key } }],
  ["GetItem without a key", { getItem: { Key: undefined } }],
  ["UpdateItem without a key", { updateItem: { Key: undefined } }],
  ["DeleteItem without a key", { deleteItem: { Key: undefined } }],
  ["a table name with a space", { getItem: { TableName: "no table", Key } }],
  ["a table name of 256 characters", { getItem: { TableName: "t".repeat(256), Key } }],
  ["an unknown ReturnValues", { updateItem: { Key, ReturnValues: unknown } }],
  ["a ReturnValues in lower case", { putItem: { Item: Key, ReturnValues: "none" as "NONE" } }],
  [
    "an unknown ReturnConsumedCapacity",
    { getItem: { Key, ReturnConsumedCapacity: unknown } },
    `${enumeration}[INDEXES, TOTAL, NONE]`,
    ignores,
  ],
  [
    "an unknown ReturnItemCollectionMetrics",
    { putItem: { Item: Key, ReturnItemCollectionMetrics: unknown } },
    `${enumeration}[SIZE, NONE]`,
    ignores,
  ],
  [
    "an unknown ReturnValuesOnConditionCheckFailure",
    { putItem: { Item: Key, ConditionExpression: "attribute_exists(pk)", ReturnValuesOnConditionCheckFailure: unknown } },
    `Value 'FOO' at 'returnValuesOnConditionCheckFailure' ${enumeration}[ALL_OLD, NONE]`,
  ],
  [
    "an unknown ComparisonOperator",
    { deleteItem: { Key, Expected: { a: { ComparisonOperator: unknown, AttributeValueList: [n(1)] } } } },
  ],
  [
    "an unknown action of AttributeUpdates",
    { updateItem: { Key, AttributeUpdates: { a: { Action: unknown, Value: n(1) } } } },
    "Member must satisfy enum value set: [ADD, DELETE, PUT]",
  ],
  ["a key that is not a number in a table of another type", { getItem: { Key: { pk: n("x") } } }],
];

export const validationCases: readonly PortCase[] = cases({ source: "public conformance suites", table: "simple" }, [
  ...rejected.map(
    ([what, request, says = "", gap]): Row => ({
      name: `${what} is rejected`,
      source: "AWS: API_PutItem, API_GetItem, API_UpdateItem, API_DeleteItem; public conformance suites",
      gap,
      ...request,
      rejected: says,
    }),
  ),
  {
    name: "an expression is checked before the table",
    gap: "checks the table first",
    putItem: { TableName: "absent-$name", Item: { pk: s("a") }, ConditionExpression: "a ==" },
    rejected: "Invalid ConditionExpression: Syntax error;",
  },
  {
    name: "a wrong key is rejected even where the condition would fail",
    table: "composite",
    putItem: { Item: { pk }, ConditionExpression: "attribute_exists(pk)" },
    rejected: "",
  },
]);
