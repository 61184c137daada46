import { type InvalidConditionRow, invalidConditionCase } from "../condition-cases.ts";
import { refuses } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: Expressions.ExpressionAttributeNames and ExpressionAttributeValues";
const one = { ":v": { N: "1" } };

/** Some of DynamoDB's list, in upper, lower and mixed case. */
const reservedWords = ["name", "Name", "STATUS", "abort", "data", "Value", "ttl", "year", "zone"];

const invalidConditions: readonly Omit<InvalidConditionRow, "source">[] = [
  {
    name: "a value placeholder that is not defined is refused",
    expression: "a = :v",
    text: "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :v",
  },
  {
    name: "a name placeholder that is not defined is refused",
    expression: "#a = :v",
    values: one,
    text: "Invalid ConditionExpression: An expression attribute name used in the document path is not defined; attribute name: #a",
  },
  {
    name: "a value that no expression uses is refused",
    expression: "a = :v",
    values: { ...one, ":w": { N: "2" } },
    text: "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}",
  },
  {
    name: "a name that no expression uses is refused",
    expression: "a = :v",
    values: one,
    names: { "#x": "y" },
    text: "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
  },
  {
    name: "a value placeholder without its colon is refused",
    expression: "a = :v",
    values: { ...one, v: { N: "1" } },
    text: 'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"',
  },
  {
    name: "a name placeholder without its number sign is refused",
    expression: "a = :v",
    values: one,
    names: { x: "y" },
    text: 'ExpressionAttributeNames contains invalid key: Syntax error; key: "x"',
  },
  {
    name: "a placeholder for an empty name is refused",
    expression: "attribute_exists(#x)",
    names: { "#x": "" },
    text: "ExpressionAttributeNames contains invalid value: Empty attribute name for key #x",
  },
  {
    name: "an empty map of names is refused",
    expression: "attribute_exists(a)",
    names: {},
    text: "ExpressionAttributeNames must not be empty",
  },
  {
    name: "an empty map of values is refused",
    expression: "attribute_exists(a)",
    values: {},
    text: "ExpressionAttributeValues must not be empty",
  },
  {
    name: "a value that is not valid is refused",
    expression: "a = :v",
    values: { ":v": { SS: [] } },
    text: "One or more parameter values were invalid: An string set  may not be empty",
  },
];
const inConditions = invalidConditions.map((row) => invalidConditionCase({ source, ...row }));

const reserved: readonly PortCase[] = reservedWords.map((word) =>
  invalidConditionCase({
    name: `the reserved word ${word} is refused as a bare name`,
    source: "AWS docs: ReservedWords",
    expression: `a = :v AND ${word} = :v`,
    values: one,
    text: `Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: ${word}`,
  }),
);

export const expressionPlaceholderCases: readonly PortCase[] = [
  ...inConditions,
  ...reserved,
  {
    name: "PutItem with values but no expression is refused",
    source,
    async run({ port, tables, unique }) {
      await refuses(
        port.putItem({
          TableName: tables.simple,
          Item: { pk: { S: unique() } },
          ExpressionAttributeValues: one,
        }),
        "ValidationException",
        "ExpressionAttributeValues can only be specified when using expressions",
      );
    },
  },
  {
    name: "UpdateItem with values but no expression is refused",
    source,
    async run({ port, tables, unique }) {
      await refuses(
        port.updateItem({
          TableName: tables.simple,
          Key: { pk: { S: unique() } },
          ExpressionAttributeValues: one,
        }),
        "ValidationException",
        "ExpressionAttributeValues can only be specified when using expressions",
      );
    },
  },
  {
    name: "GetItem with names but no expression is refused",
    source,
    async run({ port, tables, unique }) {
      await refuses(
        port.getItem({
          TableName: tables.simple,
          Key: { pk: { S: unique() } },
          ExpressionAttributeNames: { "#a": "a" },
        }),
        "ValidationException",
        "ExpressionAttributeNames can only be specified when using expressions",
      );
    },
  },
  {
    name: "UpdateItem may use one placeholder in its update and another in its condition",
    source,
    async run({ port, tables, unique }) {
      await port.updateItem({
        TableName: tables.simple,
        Key: { pk: { S: unique() } },
        UpdateExpression: "SET #a = :a",
        ConditionExpression: "attribute_not_exists(#b) OR #b = :b",
        ExpressionAttributeNames: { "#a": "a", "#b": "b" },
        ExpressionAttributeValues: { ":a": { N: "1" }, ":b": { N: "2" } },
      });
    },
  },
];
