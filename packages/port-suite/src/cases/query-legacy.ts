import type { AttributeValue, ComparisonOperator, Condition, QueryInput, QueryOutput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { column, seedPartition } from "../sample-rows.ts";

const api = "AWS docs: Legacy DynamoDB conditional parameters";

const when = (ComparisonOperator: ComparisonOperator, ...AttributeValueList: AttributeValue[]): Condition =>
  AttributeValueList.length === 0 ? { ComparisonOperator } : { ComparisonOperator, AttributeValueList };

function fiveItems(world: PortWorld): Promise<{ S: string }> {
  return seedPartition(world, ["a", "ab", "b", "c", "d"], (sk, index) => ({
    n: { N: String(index + 1) },
    t: { SS: ["all", sk] },
    ...(index % 2 === 0 ? { odd: { S: "yes" } } : {}),
  }));
}

function query(world: PortWorld, pk: AttributeValue, over: Partial<QueryInput> = {}): Promise<QueryOutput> {
  const { KeyConditions, ...rest } = over;
  const input = {
    TableName: world.tables.composite,
    ...(rest.KeyConditionExpression === undefined && {
      KeyConditions: { pk: when("EQ", pk), ...KeyConditions },
    }),
    ConsistentRead: true,
    ...rest,
  };
  // A backend that answers one of these with 500 would have a port retry to the end of its own, longer deadline.
  return world.port.query(input, { deadlineMs: 2_000 });
}

const s = (text: string): AttributeValue => ({ S: text });
const n = (text: string): AttributeValue => ({ N: text });

const onSortKey: readonly { condition: Condition; selects: string }[] = [
  { condition: when("EQ", s("b")), selects: "b" },
  { condition: when("LT", s("b")), selects: "a ab" },
  { condition: when("LE", s("b")), selects: "a ab b" },
  { condition: when("GT", s("b")), selects: "c d" },
  { condition: when("GE", s("b")), selects: "b c d" },
  { condition: when("BETWEEN", s("ab"), s("c")), selects: "ab b c" },
  { condition: when("BEGINS_WITH", s("a")), selects: "a ab" },
];

const filters: readonly { filter: Record<string, Condition>; or?: boolean; keeps: string }[] = [
  { filter: { n: when("EQ", n("2")) }, keeps: "ab" },
  { filter: { n: when("NE", n("2")) }, keeps: "a b c d" },
  { filter: { n: when("LT", n("3")) }, keeps: "a ab" },
  { filter: { n: when("LE", n("3")) }, keeps: "a ab b" },
  { filter: { n: when("GT", n("3")) }, keeps: "c d" },
  { filter: { n: when("GE", n("3")) }, keeps: "b c d" },
  { filter: { n: when("BETWEEN", n("2"), n("4")) }, keeps: "ab b c" },
  { filter: { n: when("IN", n("1"), n("4")) }, keeps: "a c" },
  { filter: { odd: when("NOT_NULL") }, keeps: "a b d" },
  { filter: { odd: when("NULL") }, keeps: "ab c" },
  { filter: { odd: when("BEGINS_WITH", s("ye")) }, keeps: "a b d" },
  { filter: { t: when("CONTAINS", s("c")) }, keeps: "c" },
  { filter: { t: when("NOT_CONTAINS", s("c")) }, keeps: "a ab b d" },
  { filter: { odd: when("NOT_NULL"), n: when("GT", n("1")) }, keeps: "b d" },
  { filter: { odd: when("NULL"), n: when("EQ", n("5")) }, or: true, keeps: "ab c d" },
];

const refusals: readonly { what: string; input: Partial<QueryInput>; text?: string; gap?: string }[] = [
  {
    what: "legacy and expression parameters together",
    input: {
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": s("p") },
      QueryFilter: { n: when("NULL") },
    },
    text: "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {QueryFilter} Expression parameters: {KeyConditionExpression}",
  },
  {
    what: "NE in KeyConditions",
    input: { KeyConditions: { sk: when("NE", s("a")) } },
    text: "Attempted conditional constraint is not an indexable operation",
    gap: "answers 500",
  },
  {
    what: "a third key condition",
    input: { KeyConditions: { sk: when("EQ", s("a")), x: when("EQ", s("a")) } },
  },
  {
    what: "a key condition on another attribute",
    input: { KeyConditions: { x: when("EQ", s("a")) } },
    text: "Query condition missed key schema element: sk",
    gap: "does not name the element",
  },
  {
    what: "a QueryFilter on a key",
    input: { QueryFilter: { sk: when("EQ", s("a")) } },
    text: "QueryFilter can only contain non-primary key attributes: Primary key attribute: sk",
  },
  {
    what: "BETWEEN with one value",
    input: { QueryFilter: { n: when("BETWEEN", n("1")) } },
    text: "Invalid number of argument(s) for the BETWEEN ComparisonOperator",
  },
  {
    what: "NULL with a value",
    input: { QueryFilter: { n: when("NULL", n("1")) } },
    text: "Invalid number of argument(s) for the NULL ComparisonOperator",
  },
  {
    what: "EQ without a value",
    input: { QueryFilter: { n: { ComparisonOperator: "EQ" } } },
    text: "One or more parameter values were invalid: Invalid number of argument(s) for the EQ ComparisonOperator",
  },
  {
    what: "CONTAINS of two values as key condition",
    input: { KeyConditions: { sk: when("CONTAINS", s("a"), s("b")) } },
    text: "Invalid number of argument(s) for the CONTAINS ComparisonOperator",
  },
  { what: "an unknown operator", input: { QueryFilter: { n: when("LIKE" as "EQ", n("1")) } } },
];

export const queryLegacyCases: readonly PortCase[] = [
  ...onSortKey.map(
    ({ condition, selects }): PortCase => ({
      name: `Query by KeyConditions with ${condition.ComparisonOperator} on the sort key selects ${selects}`,
      source: api,
      async run(world) {
        const pk = await fiveItems(world);
        const { Items } = await query(world, pk, { KeyConditions: { sk: condition } });
        same(column(Items, "sk").join(" "), selects);
      },
    }),
  ),
  ...filters.map(
    ({ filter, or, keeps }): PortCase => ({
      name: `Query by QueryFilter ${Object.values(filter)
        .map((each) => each.ComparisonOperator)
        .join(or ? " or " : " and ")} keeps ${keeps}`,
      source: api,
      async run(world) {
        const pk = await fiveItems(world);
        const page = await query(world, pk, {
          QueryFilter: filter,
          ...(or && { ConditionalOperator: "OR" }),
        });
        same(column(page.Items, "sk").join(" "), keeps);
        same(page.ScannedCount, 5);
      },
    }),
  ),
  ...refusals.map(
    ({ what, input, text, gap }): PortCase => ({
      name: `Query refuses ${what}`,
      source: `${api}; public conformance suites`,
      async run(world) {
        await refuses(query(world, s("p"), input), "ValidationException", text);
      },
      ...localGap(gap),
    }),
  ),
  {
    name: "Query takes KeyConditions beside a FilterExpression",
    source: "AWS SDK for Java: DynamoDBMapper sends its queries so",
    async run(world) {
      const pk = await fiveItems(world);
      const { Items } = await query(world, pk, { FilterExpression: "attribute_exists(odd)" });
      same(column(Items, "sk"), ["a", "b", "d"]);
    },
  },
  {
    name: "Query by KeyConditions pages backwards",
    source: api,
    async run(world) {
      const pk = await fiveItems(world);
      const first = await query(world, pk, { ScanIndexForward: false, Limit: 2 });
      same(column(first.Items, "sk"), ["d", "c"]);
      const second = await query(world, pk, {
        ScanIndexForward: false,
        ExclusiveStartKey: first.LastEvaluatedKey,
      });
      same(column(second.Items, "sk"), ["b", "ab", "a"]);
    },
  },
  {
    name: "Query with AttributesToGet gives these attributes",
    source: api,
    async run(world) {
      const pk = await fiveItems(world);
      const { Items } = await query(world, pk, { AttributesToGet: ["sk", "odd"], Limit: 2 });
      same(Items, [{ sk: s("a"), odd: s("yes") }, { sk: s("ab") }]);
    },
  },
];
