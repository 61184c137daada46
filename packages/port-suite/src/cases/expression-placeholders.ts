import { n, pk } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { type InvalidConditionRow, invalidConditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";

const one = { ":v": n(1) };
const condition = "Invalid ConditionExpression: ";

/** Some of DynamoDB's list, in upper, lower and mixed case. */
const reservedWords = ["name", "Name", "STATUS", "abort", "data", "Value", "ttl", "year", "zone"];

const invalid: readonly Omit<InvalidConditionRow, "source">[] = [
  {
    name: "a value placeholder that is not defined is rejected",
    expression: "a = :v",
    text: `${condition}An expression attribute value used in expression is not defined; attribute value: :v`,
  },
  {
    name: "a name placeholder that is not defined is rejected",
    expression: "#a = :v",
    values: one,
    text: `${condition}An expression attribute name used in the document path is not defined; attribute name: #a`,
  },
  {
    name: "a value that no expression uses is rejected",
    expression: "a = :v",
    values: { ...one, ":w": n(2) },
    text: "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}",
  },
  {
    name: "a name that no expression uses is rejected",
    expression: "a = :v",
    values: one,
    names: { "#x": "y" },
    text: "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
  },
  {
    name: "a value placeholder without its colon is rejected",
    expression: "a = :v",
    values: { ...one, v: n(1) },
    text: 'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"',
  },
  {
    name: "a name placeholder without its number sign is rejected",
    expression: "a = :v",
    values: one,
    names: { x: "y" },
    text: 'ExpressionAttributeNames contains invalid key: Syntax error; key: "x"',
  },
  {
    name: "a placeholder for an empty name is rejected",
    expression: "attribute_exists(#x)",
    names: { "#x": "" },
    text: "ExpressionAttributeNames contains invalid value: Empty attribute name for key #x",
  },
  {
    name: "an empty map of names is rejected",
    expression: "attribute_exists(a)",
    names: {},
    text: "ExpressionAttributeNames must not be empty",
  },
  {
    name: "an empty map of values is rejected",
    expression: "attribute_exists(a)",
    values: {},
    text: "ExpressionAttributeValues must not be empty",
  },
  {
    name: "a value that is not valid is rejected",
    expression: "a = :v",
    values: { ":v": { SS: [] } },
    text: "One or more parameter values were invalid: An string set  may not be empty",
  },
];

const withoutExpression = (member: string) => `${member} can only be specified when using expressions`;

export const expressionPlaceholderCases: readonly PortCase[] = cases(
  { source: "AWS docs: Expressions.ExpressionAttributeNames and ExpressionAttributeValues", table: "simple" },
  [
    ...invalid.map(invalidConditionRow),
    ...reservedWords.map((word) =>
      invalidConditionRow({
        name: `the reserved word ${word} is rejected as a bare name`,
        source: "AWS docs: ReservedWords",
        expression: `a = :v AND ${word} = :v`,
        values: one,
        text: `${condition}Attribute name is a reserved keyword; reserved keyword: ${word}`,
      }),
    ),
    {
      name: "PutItem with values but no expression is rejected",
      putItem: { Item: { pk }, ExpressionAttributeValues: one },
      rejected: withoutExpression("ExpressionAttributeValues"),
    },
    {
      name: "UpdateItem with values but no expression is rejected",
      updateItem: { Key: { pk }, ExpressionAttributeValues: one },
      rejected: withoutExpression("ExpressionAttributeValues"),
    },
    {
      name: "GetItem with names but no expression is rejected",
      getItem: { Key: { pk }, ExpressionAttributeNames: { "#a": "a" } },
      rejected: withoutExpression("ExpressionAttributeNames"),
    },
    {
      name: "UpdateItem may use one placeholder in its update and another in its condition",
      updateItem: {
        Key: { pk },
        UpdateExpression: "SET #a = :a",
        ConditionExpression: "attribute_not_exists(#b) OR #b = :b",
        ExpressionAttributeNames: { "#a": "a", "#b": "b" },
        ExpressionAttributeValues: { ":a": n(1), ":b": n(2) },
      },
      after: { simple: [{ pk, a: n(1) }] },
    },
  ],
);
