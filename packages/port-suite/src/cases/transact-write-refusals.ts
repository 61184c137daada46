import type { AttributeValue, TransactWriteItem } from "@tablekeep/core";
import { action, reasons, refuses, same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";

const s = (text: string): AttributeValue => ({ S: text });
const none = { Code: "None" };

/** Actions on the shared table `indexed` or `simple` that cancel with ValidationError, and the reason's text. */
const invalid: readonly {
  what: string;
  action: (simple: string, indexed: string, pk: string) => TransactWriteItem;
  text: string;
  gap?: string;
}[] = [
  {
    what: "a put with a key of the wrong type",
    action: (simple) => ({ Put: { TableName: simple, Item: { pk: { N: "5" } } } }),
    text: "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N",
    gap: "does not name the key and its types",
  },
  {
    what: "an update with a key of the wrong type",
    action: (simple) => ({
      Update: { TableName: simple, Key: { pk: { N: "5" } }, UpdateExpression: "REMOVE a" },
    }),
    text: "The provided key element does not match the schema",
    gap: "cancels with other words",
  },
  {
    what: "a delete with a further key attribute",
    action: (simple) => ({ Delete: { TableName: simple, Key: { pk: s("p"), sk: s("s") } } }),
    text: "The provided key element does not match the schema",
    gap: "refuses instead of cancelling",
  },
  {
    what: "a check without its key",
    action: (_simple, indexed) => ({
      ConditionCheck: {
        TableName: indexed,
        Key: { pk: s("p") },
        ConditionExpression: "attribute_exists(pk)",
      },
    }),
    text: "The provided key element does not match the schema",
    gap: "refuses instead of cancelling",
  },
  {
    what: "a put with an index key of the wrong type",
    action: (_simple, indexed, pk) => ({
      Put: { TableName: indexed, Item: { pk: s(pk), sk: s("1"), l: { N: "5" } } },
    }),
    text: "One or more parameter values were invalid: Type mismatch for Index Key l Expected: S Actual: N",
    gap: "does not name the key and its types",
  },
  {
    what: "an update of an attribute that is absent",
    action: (simple, _indexed, pk) => ({
      Update: {
        TableName: simple,
        Key: { pk: s(pk) },
        UpdateExpression: "SET a = absent + :one",
        ExpressionAttributeValues: { ":one": { N: "1" } },
      },
    }),
    text: "The provided expression refers to an attribute that does not exist in the item",
    gap: "refuses instead of cancelling",
  },
  {
    what: "an update of a key attribute",
    action: (simple, _indexed, pk) => ({
      Update: {
        TableName: simple,
        Key: { pk: s(pk) },
        UpdateExpression: "SET pk = :x",
        ExpressionAttributeValues: { ":x": s("x") },
      },
    }),
    text: "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key",
    gap: "gives one reason for two actions",
  },
];

/** Requests that are wrong in themselves: refused whole, without cancellation reasons. */
const malformed: readonly {
  what: string;
  action: (simple: string) => TransactWriteItem;
  text?: string;
  gap?: string;
}[] = [
  { what: "no action in an entry", action: () => ({}) },
  {
    what: "two actions in one entry",
    action: (TableName) => ({
      Put: { TableName, Item: { pk: s("a") } },
      Delete: { TableName, Key: { pk: s("b") } },
    }),
  },
  {
    what: "a check without a condition",
    action: (TableName) => ({ ConditionCheck: { TableName, Key: { pk: s("a") }, ConditionExpression: "" } }),
    text: "The expression can not be empty;",
  },
  {
    what: "a syntax error in an update",
    action: (TableName) => ({ Update: { TableName, Key: { pk: s("a") }, UpdateExpression: "SET a = =" } }),
    text: "Syntax error; token:",
  },
  {
    what: "an unused value",
    action: (TableName) => ({
      Put: {
        TableName,
        Item: { pk: s("a") },
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":x": s("x") },
      },
    }),
    text: "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}",
  },
  {
    what: "an empty key value",
    action: (TableName) => ({ Put: { TableName, Item: { pk: s("") } } }),
    text: "The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
  },
  {
    what: "an unknown ReturnValuesOnConditionCheckFailure",
    action: (TableName) => ({
      Delete: { TableName, Key: { pk: s("a") }, ReturnValuesOnConditionCheckFailure: "ALL_NEW" as "ALL_OLD" },
    }),
    gap: "does not look at it",
  },
];

export const transactWriteRefusalCases: readonly PortCase[] = [
  ...invalid.map(
    ({ what, action: make, text, gap }): PortCase => ({
      name: `TransactWriteItems is cancelled with ValidationError by ${what}`,
      source: "public conformance suites",
      async run(world) {
        const { tables, unique } = world;
        const ok = action("Put", tables.simple, s(unique()), "attribute_not_exists(pk)");
        const [first, second] = await reasons(world, [ok, make(tables.simple, tables.indexed, unique())]);
        same([first, second?.Code], [none, "ValidationError"]);
        same(second?.Message?.startsWith(text), true, second?.Message);
      },
      ...localGap(gap),
    }),
  ),
  ...malformed.map(
    ({ what, action: make, text, gap }): PortCase => ({
      name: `TransactWriteItems refuses ${what}`,
      source: "public conformance suites",
      async run({ port, tables }) {
        const call = port.transactWriteItems({ TransactItems: [make(tables.simple)] });
        await refuses(call, "ValidationException", text);
      },
      ...localGap(gap),
    }),
  ),
  {
    name: "TransactWriteItems answers an unknown table before any failed condition",
    source: "public conformance suites",
    async run({ port, tables, unique }) {
      const TransactItems = [
        action("Put", tables.simple, s(unique()), "attribute_exists(pk)"),
        action("Put", unique(), s("p"), "attribute_not_exists(pk)"),
      ];
      await refuses(port.transactWriteItems({ TransactItems }), "ResourceNotFoundException");
    },
  },
];
