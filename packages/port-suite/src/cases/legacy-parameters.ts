import type { UpdateItemInput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";

const source = "AWS docs: LegacyConditionalParameters; public conformance suites";
const one = { N: "1" };

const mixed = (legacy: string, expressions: string) =>
  `Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {${legacy}} Expression parameters: {${expressions}}`;

type Parameters = Omit<UpdateItemInput, "TableName" | "Key">;

const mixtures: readonly (readonly [what: string, parameters: Parameters, says: string])[] = [
  [
    "AttributeUpdates beside UpdateExpression",
    {
      AttributeUpdates: { a: { Action: "PUT", Value: one } },
      UpdateExpression: "SET a = :v",
      ExpressionAttributeValues: { ":v": one },
    },
    mixed("AttributeUpdates", "UpdateExpression"),
  ],
  [
    "AttributeUpdates beside ConditionExpression",
    { AttributeUpdates: { a: { Action: "PUT", Value: one } }, ConditionExpression: "attribute_exists(a)" },
    mixed("AttributeUpdates", "ConditionExpression"),
  ],
  [
    "Expected beside ConditionExpression",
    { Expected: { a: { Value: one } }, ConditionExpression: "attribute_exists(a)" },
    mixed("Expected", "ConditionExpression"),
  ],
  [
    "Expected beside UpdateExpression",
    {
      Expected: { a: { Value: one } },
      UpdateExpression: "SET a = :v",
      ExpressionAttributeValues: { ":v": one },
    },
    mixed("Expected", "UpdateExpression"),
  ],
  [
    "names beside Expected without an expression",
    { Expected: { a: { Value: one } }, ExpressionAttributeNames: { "#a": "a" } },
    "ExpressionAttributeNames can only be specified when using expressions",
  ],
  [
    "values beside AttributeUpdates without an expression",
    { AttributeUpdates: { a: { Action: "PUT", Value: one } }, ExpressionAttributeValues: { ":v": one } },
    "ExpressionAttributeValues can only be specified when using expressions",
  ],
  [
    "ConditionalOperator without Expected",
    { ConditionalOperator: "AND" },
    "ConditionalOperator cannot be used without Filter or Expected",
  ],
];

export const legacyParameterCases: readonly PortCase[] = [
  ...mixtures.map(
    ([what, parameters, says]): PortCase => ({
      name: `UpdateItem refuses ${what}`,
      source,
      async run({ port, tables, unique }) {
        const update = port.updateItem({
          TableName: tables.simple,
          Key: { pk: { S: unique() } },
          ...parameters,
        });
        await refuses(update, "ValidationException", says);
      },
    }),
  ),
  {
    name: "Parameters of other operations are not looked at",
    source: "public conformance suites: members that an operation does not have are ignored",
    async run({ port, tables, unique }) {
      const TableName = tables.simple;
      const Key = { pk: { S: unique() } };
      const ofReads = { AttributesToGet: ["a", "a"], QueryFilter: { a: {} }, ProjectionExpression: "" };
      await port.putItem({ TableName, Item: { ...Key, a: one }, ...ofReads });
      const ofWrites = { ConditionalOperator: "OR", Expected: { a: {} }, ConditionExpression: "" } as const;
      same(await port.getItem({ TableName, Key, ...ofWrites }), { Item: { ...Key, a: one } });
    },
  },
  {
    name: "Query refuses values when only a projection is an expression",
    source,
    async run({ port, tables }) {
      const query = port.query({
        TableName: tables.simple,
        KeyConditions: { pk: { ComparisonOperator: "EQ", AttributeValueList: [{ S: "p" }] } },
        ProjectionExpression: "a",
        ExpressionAttributeValues: { ":v": one },
      });
      const text =
        "ExpressionAttributeValues can only be specified when using expressions: FilterExpression and KeyConditionExpression are null";
      await refuses(query, "ValidationException", text);
    },
  },
  {
    name: "AttributesToGet takes whole attributes only",
    source,
    async run({ port, tables, unique }) {
      const TableName = tables.simple;
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName, Item: { ...Key, a: one, m: { M: { a: one } }, "m.a": { S: "flat" } } });
      const get = async (...AttributesToGet: string[]) =>
        (await port.getItem({ TableName, Key, AttributesToGet })).Item;
      same(await get("a", "nowhere"), { a: one });
      same(await get("m.a"), { "m.a": { S: "flat" } });
      same(await get("pk", "m"), { ...Key, m: { M: { a: one } } });
      same(await get("nowhere"), {});
    },
  },
  {
    name: "AttributesToGet may hold reserved words",
    source,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item: { ...Key, name: one } });
      const read = await port.getItem({ TableName: tables.simple, Key, AttributesToGet: ["name"] });
      same(read, { Item: { name: one } });
    },
  },
  {
    name: "AttributesToGet is refused beside ProjectionExpression",
    source,
    async run({ port, tables, unique }) {
      const read = port.getItem({
        TableName: tables.simple,
        Key: { pk: { S: unique() } },
        AttributesToGet: ["a"],
        ProjectionExpression: "a",
      });
      await refuses(read, "ValidationException", mixed("AttributesToGet", "ProjectionExpression"));
    },
  },
  {
    name: "AttributesToGet is refused for a name that stands twice",
    source,
    async run({ port, tables, unique }) {
      const read = port.getItem({
        TableName: tables.simple,
        Key: { pk: { S: unique() } },
        AttributesToGet: ["a", "a"],
      });
      await refuses(read, "ValidationException");
    },
  },
];
