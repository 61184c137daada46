import type { UpdateItemInput } from "@tablekeep/core";
import { m, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const one = n(1);
const set = { UpdateExpression: "SET a = :v", ExpressionAttributeValues: { ":v": one } };
const legacySet: Partial<UpdateItemInput> = { AttributeUpdates: { a: { Action: "PUT", Value: one } } };
const expected = { Expected: { a: { Value: one } } };
const exists = { ConditionExpression: "attribute_exists(a)" };

const mixed = (legacy: string, expressions: string) =>
  `Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {${legacy}} Expression parameters: {${expressions}}`;
const onlyWithExpressions = (member: string) => `${member} can only be specified when using expressions`;

const mixtures: readonly (readonly [what: string, parameters: Partial<UpdateItemInput>, says: string])[] = [
  ["AttributeUpdates beside UpdateExpression", { ...legacySet, ...set }, mixed("AttributeUpdates", "UpdateExpression")],
  ["AttributeUpdates beside ConditionExpression", { ...legacySet, ...exists }, mixed("AttributeUpdates", "ConditionExpression")],
  ["Expected beside ConditionExpression", { ...expected, ...exists }, mixed("Expected", "ConditionExpression")],
  ["Expected beside UpdateExpression", { ...expected, ...set }, mixed("Expected", "UpdateExpression")],
  [
    "names beside Expected without an expression",
    { ...expected, ExpressionAttributeNames: { "#a": "a" } },
    onlyWithExpressions("ExpressionAttributeNames"),
  ],
  [
    "values beside AttributeUpdates without an expression",
    { ...legacySet, ExpressionAttributeValues: { ":v": one } },
    onlyWithExpressions("ExpressionAttributeValues"),
  ],
  [
    "ConditionalOperator without Expected",
    { ConditionalOperator: "AND" },
    "ConditionalOperator cannot be used without Filter or Expected",
  ],
];

const ofReads = { AttributesToGet: ["a", "a"], QueryFilter: { a: {} }, ProjectionExpression: "" };
const ofWrites = { ConditionalOperator: "OR", Expected: { a: {} }, ConditionExpression: "" } as const;

export const legacyParameterCases: readonly PortCase[] = cases(
  { source: "AWS docs: LegacyConditionalParameters; public conformance suites", table: "simple" },
  [
    ...mixtures.map(
      ([what, parameters, says]): Row => ({
        name: `UpdateItem rejects ${what}`,
        updateItem: { Key: { pk }, ...parameters },
        rejected: says,
      }),
    ),
    {
      name: "Parameters of other operations are ignored",
      source: "public conformance suites: members that an operation does not have are ignored",
      steps: [
        { putItem: { Item: { pk, a: one }, ...ofReads } },
        { getItem: { Key: { pk }, ...ofWrites }, returns: { Item: { pk, a: one } } },
      ],
    },
    {
      name: "Query rejects values when only a projection is an expression",
      query: {
        KeyConditions: { pk: { ComparisonOperator: "EQ", AttributeValueList: [s("p")] } },
        ProjectionExpression: "a",
        ExpressionAttributeValues: { ":v": one },
      },
      rejected: `${onlyWithExpressions("ExpressionAttributeValues")}: FilterExpression and KeyConditionExpression are null`,
    },
    {
      name: "AttributesToGet selects whole attributes only",
      given: { simple: [{ pk, a: one, m: m({ a: one }), "m.a": s("flat") }] },
      steps: [
        { getItem: { Key: { pk }, AttributesToGet: ["a", "nowhere"] }, returns: { Item: { a: one } } },
        { getItem: { Key: { pk }, AttributesToGet: ["m.a"] }, returns: { Item: { "m.a": s("flat") } } },
        { getItem: { Key: { pk }, AttributesToGet: ["pk", "m"] }, returns: { Item: { pk, m: m({ a: one }) } } },
        { getItem: { Key: { pk }, AttributesToGet: ["nowhere"] }, returns: { Item: {} } },
      ],
    },
    {
      name: "AttributesToGet may hold reserved words",
      given: { simple: [{ pk, name: one }] },
      getItem: { Key: { pk }, AttributesToGet: ["name"] },
      returns: { Item: { name: one } },
    },
    {
      name: "AttributesToGet is rejected beside ProjectionExpression",
      getItem: { Key: { pk }, AttributesToGet: ["a"], ProjectionExpression: "a" },
      rejected: mixed("AttributesToGet", "ProjectionExpression"),
    },
    {
      name: "AttributesToGet is rejected for a name that stands twice",
      getItem: { Key: { pk }, AttributesToGet: ["a", "a"] },
      rejected: "",
    },
  ],
);
