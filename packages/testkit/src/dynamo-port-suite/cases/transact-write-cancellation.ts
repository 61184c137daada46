import type { AttributeValue, CancellationReason, Item, TransactWriteItem } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap } from "../local-gap.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { seed } from "../seed.ts";

const api = "AWS: API_TransactWriteItems, CancellationReasons";
const s = (text: string): AttributeValue => ({ S: text });
const failed = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
const none = { Code: "None" };

/** The reasons why the transaction was cancelled. */
async function reasons(
  world: PortWorld,
  TransactItems: TransactWriteItem[],
): Promise<readonly CancellationReason[]> {
  const call = world.port.transactWriteItems({ TransactItems });
  const { details } = await refuses(call, "TransactionCanceledException");
  const given = details.cancellationReasons ?? [];
  const codes = given.map((reason) => reason.Code).join(", ");
  const text = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  same(details.serviceMessage.startsWith(text), true, details.serviceMessage);
  return given;
}

type ActionName = "Put" | "Update" | "Delete" | "ConditionCheck";

/** An action of each kind on `pk` of the shared table `simple`, under a condition. */
function action(
  kind: ActionName,
  TableName: string,
  pk: AttributeValue,
  ConditionExpression: string,
  give?: "ALL_OLD",
): TransactWriteItem {
  const shared = { TableName, ConditionExpression, ReturnValuesOnConditionCheckFailure: give };
  if (kind === "Put") return { Put: { ...shared, Item: { pk } } };
  if (kind === "Update") return { Update: { ...shared, Key: { pk }, UpdateExpression: "REMOVE x" } };
  return kind === "Delete"
    ? { Delete: { ...shared, Key: { pk } } }
    : { ConditionCheck: { ...shared, Key: { pk } } };
}

const kinds: readonly ActionName[] = ["Put", "Update", "Delete", "ConditionCheck"];

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

export const transactWriteCancellationCases: readonly PortCase[] = [
  ...kinds.map(
    (kind): PortCase => ({
      name: `TransactWriteItems gives None for what would have gone through and ConditionalCheckFailed for ${kind}, in order`,
      source: api,
      async run(world) {
        const { tables, unique } = world;
        const ok = () => action("Put", tables.simple, s(unique()), "attribute_not_exists(pk)");
        const bad = () => action(kind, tables.simple, s(unique()), "attribute_exists(pk)");
        same(await reasons(world, [ok(), bad()]), [none, failed]);
        same(await reasons(world, [bad(), ok()]), [failed, none]);
        same(await reasons(world, [ok(), bad(), ok(), bad()]), [none, failed, none, failed]);
      },
      ...localGap(kind === "ConditionCheck" ? "ends the message with a full stop" : undefined),
    }),
  ),
  ...kinds.map(
    (kind): PortCase => ({
      name: `TransactWriteItems gives the item that failed the condition of ${kind} when asked`,
      source: api,
      async run(world) {
        const { port, tables, unique } = world;
        const item: Item = { pk: s(unique()), a: { L: [{ N: "1" }] } };
        const pk = item["pk"] ?? s("");
        await seed(port, tables.simple, [item]);
        const condition = "attribute_not_exists(pk)";
        same(await reasons(world, [action(kind, tables.simple, pk, condition, "ALL_OLD")]), [
          { ...failed, Item: item },
        ]);
        same(await reasons(world, [action(kind, tables.simple, pk, condition)]), [failed]);
      },
      ...localGap(kind === "ConditionCheck" ? "ends the message with a full stop" : undefined),
    }),
  ),
  {
    name: "TransactWriteItems gives no item for a failed condition on an absent item",
    source: api,
    async run(world) {
      const { tables, unique } = world;
      const absent = action("Put", tables.simple, s(unique()), "attribute_exists(pk)", "ALL_OLD");
      same(await reasons(world, [absent]), [failed]);
    },
  },
  {
    name: "TransactWriteItems gives the items of several failed conditions at their places",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const items = [
        { pk: s(unique()), a: s("1") },
        { pk: s(unique()), a: s("2") },
      ];
      await seed(port, tables.simple, items);
      const TransactItems = [
        action("Delete", tables.simple, items[1]?.pk ?? s(""), "attribute_not_exists(pk)", "ALL_OLD"),
        action("Put", tables.simple, s(unique()), "attribute_not_exists(pk)", "ALL_OLD"),
        action("Update", tables.simple, items[0]?.pk ?? s(""), "a = pk", "ALL_OLD"),
      ];
      same(await reasons(world, TransactItems), [
        { ...failed, Item: items[1] },
        none,
        { ...failed, Item: items[0] },
      ]);
    },
  },
  {
    name: "TransactWriteItems gives as many reasons as it has actions, up to 100",
    source: api,
    async run(world) {
      const { tables, unique } = world;
      const TransactItems = Array.from({ length: 100 }, (_, index) =>
        action(
          "Put",
          tables.simple,
          s(unique()),
          index === 57 ? "attribute_exists(pk)" : "attribute_not_exists(pk)",
        ),
      );
      const given = await reasons(world, TransactItems);
      same(given.map((reason) => reason.Code !== "None").indexOf(true), 57);
      same(given.length, 100);
    },
  },
  ...invalid.map(
    ({ what, action: make, text, gap }): PortCase => ({
      name: `TransactWriteItems is cancelled with ValidationError by ${what}`,
      source: "conformance suites run against AWS",
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
      source: "conformance suites run against AWS",
      async run({ port, tables }) {
        const call = port.transactWriteItems({ TransactItems: [make(tables.simple)] });
        await refuses(call, "ValidationException", text);
      },
      ...localGap(gap),
    }),
  ),
  {
    name: "TransactWriteItems answers an unknown table before any failed condition",
    source: "conformance suites run against AWS",
    async run({ port, tables, unique }) {
      const TransactItems = [
        action("Put", tables.simple, s(unique()), "attribute_exists(pk)"),
        action("Put", unique(), s("p"), "attribute_not_exists(pk)"),
      ];
      await refuses(port.transactWriteItems({ TransactItems }), "ResourceNotFoundException");
    },
  },
];
