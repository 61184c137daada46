import type { AttributeValue, ComparisonOperator, Condition, QueryInput } from "@tablekeep/core";
import { n, pk, s, ss } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS docs: Legacy DynamoDB conditional parameters";

const when = (ComparisonOperator: ComparisonOperator, ...AttributeValueList: AttributeValue[]): Condition =>
  AttributeValueList.length === 0 ? { ComparisonOperator } : { ComparisonOperator, AttributeValueList };

const fiveItems = ["a", "ab", "b", "c", "d"].map((sk, index) => ({
  pk,
  sk: s(sk),
  n: n(index + 1),
  t: ss("all", sk),
  ...(index % 2 === 0 && { odd: s("yes") }),
}));

/** A query of the partition. */
const of = ({ KeyConditions, ...over }: Partial<QueryInput> = {}): Partial<QueryInput> => ({
  KeyConditions: { pk: when("EQ", pk), ...KeyConditions },
  ConsistentRead: true,
  ...over,
});

const onSortKey: readonly (readonly [condition: Condition, selects: string])[] = [
  [when("EQ", s("b")), "b"],
  [when("LT", s("b")), "a ab"],
  [when("LE", s("b")), "a ab b"],
  [when("GT", s("b")), "c d"],
  [when("GE", s("b")), "b c d"],
  [when("BETWEEN", s("ab"), s("c")), "ab b c"],
  [when("BEGINS_WITH", s("a")), "a ab"],
];

const filters: readonly (readonly [filter: Record<string, Condition>, keeps: string, operator?: "OR"])[] = [
  [{ n: when("EQ", n(2)) }, "ab"],
  [{ n: when("NE", n(2)) }, "a b c d"],
  [{ n: when("LT", n(3)) }, "a ab"],
  [{ n: when("LE", n(3)) }, "a ab b"],
  [{ n: when("GT", n(3)) }, "c d"],
  [{ n: when("GE", n(3)) }, "b c d"],
  [{ n: when("BETWEEN", n(2), n(4)) }, "ab b c"],
  [{ n: when("IN", n(1), n(4)) }, "a c"],
  [{ odd: when("NOT_NULL") }, "a b d"],
  [{ odd: when("NULL") }, "ab c"],
  [{ odd: when("BEGINS_WITH", s("ye")) }, "a b d"],
  [{ t: when("CONTAINS", s("c")) }, "c"],
  [{ t: when("NOT_CONTAINS", s("c")) }, "a ab b d"],
  [{ odd: when("NOT_NULL"), n: when("GT", n(1)) }, "b d"],
  [{ odd: when("NULL"), n: when("EQ", n(5)) }, "ab c d", "OR"],
];

const wrongNumber = (operator: string) => `Invalid number of argument(s) for the ${operator} ComparisonOperator`;

const rejections: readonly (readonly [what: string, input: Partial<QueryInput>, says?: string, gap?: string])[] = [
  [
    "legacy and expression parameters together",
    {
      KeyConditions: undefined,
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": s("p") },
      QueryFilter: { n: when("NULL") },
    },
    "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {QueryFilter} Expression parameters: {KeyConditionExpression}",
  ],
  [
    "NE in KeyConditions",
    of({ KeyConditions: { sk: when("NE", s("a")) } }),
    "Attempted conditional constraint is not an indexable operation",
    "answers 500",
  ],
  ["a third key condition", of({ KeyConditions: { sk: when("EQ", s("a")), x: when("EQ", s("a")) } })],
  [
    "a key condition on another attribute",
    of({ KeyConditions: { x: when("EQ", s("a")) } }),
    "Query condition missed key schema element: sk",
    "does not name the element",
  ],
  [
    "a QueryFilter on a key",
    of({ QueryFilter: { sk: when("EQ", s("a")) } }),
    "QueryFilter can only contain non-primary key attributes: Primary key attribute: sk",
  ],
  ["BETWEEN with one value", of({ QueryFilter: { n: when("BETWEEN", n(1)) } }), wrongNumber("BETWEEN")],
  ["NULL with a value", of({ QueryFilter: { n: when("NULL", n(1)) } }), wrongNumber("NULL")],
  [
    "EQ without a value",
    of({ QueryFilter: { n: when("EQ") } }),
    `One or more parameter values were invalid: ${wrongNumber("EQ")}`,
  ],
  [
    "CONTAINS of two values as key condition",
    of({ KeyConditions: { sk: when("CONTAINS", s("a"), s("b")) } }),
    wrongNumber("CONTAINS"),
  ],
  ["an unknown operator", of({ QueryFilter: { n: when("LIKE" as "EQ", n(1)) } })],
];

const listed = (sortKeys: string) => ({ "Items.*.sk.S": sortKeys.split(" ") });

export const queryLegacyCases: readonly PortCase[] = cases(
  { source: api, table: "composite", given: { composite: fiveItems }, deadlineMs: 2_000 },
  [
    ...onSortKey.map(
      ([condition, selects]): Row => ({
        name: `Query by KeyConditions with ${condition.ComparisonOperator} on the sort key selects ${selects}`,
        query: of({ KeyConditions: { sk: condition } }),
        shows: listed(selects),
      }),
    ),
    ...filters.map(([filter, keeps, ConditionalOperator]): Row => {
      const operators = Object.values(filter).map((each) => each.ComparisonOperator);
      return {
        name: `Query by QueryFilter ${operators.join(ConditionalOperator ? " or " : " and ")} keeps ${keeps}`,
        query: of({ QueryFilter: filter, ConditionalOperator }),
        shows: { ...listed(keeps), ScannedCount: 5 },
      };
    }),
    ...rejections.map(
      ([what, query, says = "", gap]): Row => ({
        name: `Query rejects ${what}`,
        source: `${api}; public conformance suites`,
        gap,
        query,
        rejected: says,
      }),
    ),
    {
      name: "Query accepts KeyConditions beside a FilterExpression",
      source: "AWS SDK for Java: DynamoDBMapper sends its queries so",
      query: of({ FilterExpression: "attribute_exists(odd)" }),
      shows: listed("a b d"),
    },
    {
      name: "Query by KeyConditions pages backwards",
      steps: [
        { query: of({ ScanIndexForward: false, Limit: 2 }), shows: { ...listed("d c"), LastEvaluatedKey: { pk, sk: s("c") } } },
        { query: of({ ScanIndexForward: false, ExclusiveStartKey: { pk, sk: s("c") } }), shows: listed("b ab a") },
      ],
    },
    {
      name: "Query with AttributesToGet returns these attributes",
      query: of({ AttributesToGet: ["sk", "odd"], Limit: 2 }),
      shows: { Items: [{ sk: s("a"), odd: s("yes") }, { sk: s("ab") }] },
    },
  ],
);
