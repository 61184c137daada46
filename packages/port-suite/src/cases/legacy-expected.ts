import type { AttributeValue, ComparisonOperator, ExpectedAttributeValue, Item } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { sampleItem } from "../sample-rows.ts";

const source = "AWS docs: LegacyConditionalParameters.Expected";

type Expected = Record<string, ExpectedAttributeValue>;

async function deletion(
  { port, tables, unique }: PortWorld,
  expected: Expected,
  operator?: "AND" | "OR",
  item: Item = sampleItem,
) {
  const Key = { pk: { S: unique() } };
  await port.putItem({ TableName: tables.simple, Item: { ...item, ...Key } });
  return port.deleteItem({
    TableName: tables.simple,
    Key,
    Expected: expected,
    ConditionalOperator: operator,
  });
}

function judged(name: string, expected: Expected, holds: boolean, operator?: "AND" | "OR"): PortCase {
  return {
    name,
    source,
    async run(world) {
      const deleted = deletion(world, expected, operator);
      if (holds) await deleted;
      else await refuses(deleted, "ConditionalCheckFailedException", "The conditional request failed");
    },
  };
}

const n = (value: number | string): AttributeValue => ({ N: String(value) });
const s = (value: string): AttributeValue => ({ S: value });

type Row = readonly [
  attribute: string,
  operator: ComparisonOperator,
  values: AttributeValue[],
  holds: boolean,
];

const comparisons: readonly Row[] = [
  ["n", "EQ", [n(5)], true],
  ["n", "EQ", [n("5.0")], true],
  ["n", "EQ", [s("5")], false],
  ["ss", "EQ", [{ SS: ["c", "b", "a"] }], true],
  ["l", "EQ", [{ L: [n(1)] }], false],
  ["nowhere", "EQ", [n(5)], false],
  ["n", "NE", [n(6)], true],
  ["n", "NE", [n("5.00")], false],
  ["n", "NE", [s("5")], true],
  ["n", "LE", [n(5)], true],
  ["n", "LE", [n(4)], false],
  ["n", "LT", [n(10)], true],
  ["n", "LT", [n(5)], false],
  ["n", "LT", [s("9")], false],
  ["n", "GE", [n(5)], true],
  ["n", "GE", [n(6)], false],
  ["n", "GT", [n(-10)], true],
  ["n", "GT", [n(5)], false],
  ["s", "LT", [s("i")], true],
  ["b", "LT", [{ B: Uint8Array.of(0xff) }], true],
  ["n", "BETWEEN", [n(5), n(9)], true],
  ["n", "BETWEEN", [n(1), n(5)], true],
  ["n", "BETWEEN", [n(6), n(9)], false],
  ["s", "BETWEEN", [s("a"), s("z")], true],
  ["n", "IN", [n(4), n(5)], true],
  ["n", "IN", [n(4), n(6)], false],
  ["nowhere", "NULL", [], true],
  ["n", "NULL", [], false],
  ["nul", "NULL", [], false],
  ["n", "NOT_NULL", [], true],
  ["nul", "NOT_NULL", [], true],
  ["nowhere", "NOT_NULL", [], false],
  ["s", "CONTAINS", [s("ell")], true],
  ["s", "CONTAINS", [s("elk")], false],
  ["ss", "CONTAINS", [s("a")], true],
  ["ns", "CONTAINS", [n("2.50")], true],
  ["l", "CONTAINS", [s("x")], true],
  ["s", "NOT_CONTAINS", [s("elk")], true],
  ["s", "NOT_CONTAINS", [s("ell")], false],
  ["ss", "NOT_CONTAINS", [s("a")], false],
  ["s", "BEGINS_WITH", [s("he")], true],
  ["s", "BEGINS_WITH", [s("lo")], false],
  ["b", "BEGINS_WITH", [{ B: Uint8Array.of(1, 2) }], true],
];

const words = (values: AttributeValue[]) => values.map((value) => JSON.stringify(value)).join(", ");

const combinations: readonly PortCase[] = [
  judged("Expected with a value holds for an equal attribute", { n: { Value: n(5) } }, true),
  judged("Expected with a value fails for another attribute", { n: { Value: n(6) } }, false),
  judged("Expected with Exists true and a value compares", { n: { Exists: true, Value: n(5) } }, true),
  judged("Expected with Exists false holds for an absent attribute", { nowhere: { Exists: false } }, true),
  judged("Expected with Exists false fails for a present attribute", { n: { Exists: false } }, false),
  judged(
    "Expected with a value and a comparison compares",
    { n: { Value: n(6), ComparisonOperator: "LT" } },
    true,
  ),
  judged("Expected takes all its attributes together", { n: { Value: n(5) }, s: { Value: s("no") } }, false),
  judged("Expected with AND takes all", { n: { Value: n(5) }, s: { Value: s("hello") } }, true, "AND"),
  judged("Expected with OR takes any", { n: { Value: n(5) }, s: { Value: s("no") } }, true, "OR"),
  judged("Expected with OR fails for none", { n: { Value: n(6) }, s: { Value: s("no") } }, false, "OR"),
  judged("Expected takes a name with a dot as one name", { "a.b": { Value: s("a name with a dot") } }, true),
];

const invalid = "One or more parameter values were invalid: ";
const refusals: readonly (readonly [
  what: string,
  expected: Expected,
  says?: string,
  operator?: "AND" | "OR",
])[] = [
  ["no value", { n: {} }, `${invalid}Value must be provided when Exists is null for Attribute: n`],
  [
    "Exists true alone",
    { n: { Exists: true } },
    `${invalid}Value must be provided when Exists is true for Attribute: n`,
  ],
  [
    "Exists false with a value",
    { n: { Exists: false, Value: n(5) } },
    `${invalid}Value cannot be used when Exists is false for Attribute: n`,
  ],
  [
    "Exists with a comparison",
    { n: { Exists: true, ComparisonOperator: "EQ", AttributeValueList: [n(5)] } },
    `${invalid}Exists and ComparisonOperator cannot be used together for Attribute: n`,
  ],
  [
    "a value and a list of values",
    { n: { Value: n(5), ComparisonOperator: "EQ", AttributeValueList: [n(5)] } },
    `${invalid}Value and AttributeValueList cannot be used together for Attribute: n`,
  ],
  [
    "a list of values without a comparison",
    { n: { AttributeValueList: [n(5)] } },
    `${invalid}AttributeValueList can only be used with a ComparisonOperator for Attribute: n`,
  ],
  [
    "a value and a list of values without a comparison",
    { n: { Value: n(5), AttributeValueList: [n(5)] } },
    `${invalid}Value and AttributeValueList cannot be used together for Attribute: n`,
  ],
  [
    "EQ without a value",
    { n: { ComparisonOperator: "EQ" } },
    `${invalid}Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: n`,
  ],
  [
    "CONTAINS of a set",
    { ss: { ComparisonOperator: "CONTAINS", AttributeValueList: [{ SS: ["a"] }] } },
    `${invalid}ComparisonOperator CONTAINS is not valid for SS AttributeValue type`,
  ],
  [
    "NOT_CONTAINS of a map",
    { l: { ComparisonOperator: "NOT_CONTAINS", AttributeValueList: [{ M: {} }] } },
    `${invalid}ComparisonOperator NOT_CONTAINS is not valid for M AttributeValue type`,
  ],
  [
    "ConditionalOperator with a condition that is wrong itself",
    { n: {} },
    `${invalid}Value must be provided when Exists is null for Attribute: n`,
    "OR",
  ],
  [
    "ConditionalOperator with no attribute",
    {},
    "ConditionalOperator cannot be used without Filter or Expected",
    "OR",
  ],
  [
    "two values for EQ",
    { n: { ComparisonOperator: "EQ", AttributeValueList: [n(5), n(6)] } },
    `${invalid}Invalid number of argument(s) for the EQ ComparisonOperator`,
  ],
  [
    "one value for BETWEEN",
    { n: { ComparisonOperator: "BETWEEN", AttributeValueList: [n(5)] } },
    `${invalid}Invalid number of argument(s) for the BETWEEN ComparisonOperator`,
  ],
  [
    "a value for NULL",
    { n: { ComparisonOperator: "NULL", AttributeValueList: [n(5)] } },
    `${invalid}Invalid number of argument(s) for the NULL ComparisonOperator`,
  ],
  [
    "values of two types",
    { n: { ComparisonOperator: "IN", AttributeValueList: [n(5), s("5")] } },
    `${invalid}AttributeValues inside AttributeValueList must be of same type`,
  ],
  [
    "values of two types before one that does not fit at all",
    { n: { ComparisonOperator: "IN", AttributeValueList: [n(5), s("5"), { SS: ["a"] }] } },
    `${invalid}AttributeValues inside AttributeValueList must be of same type`,
  ],
  [
    "LT of a set",
    { n: { ComparisonOperator: "LT", AttributeValueList: [{ SS: ["a"] }] } },
    `${invalid}ComparisonOperator LT is not valid for SS AttributeValue type`,
  ],
  [
    "BEGINS_WITH of a number",
    { n: { ComparisonOperator: "BEGINS_WITH", AttributeValueList: [n(5)] } },
    `${invalid}ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type`,
  ],
  [
    "BETWEEN with its bounds exchanged",
    { n: { ComparisonOperator: "BETWEEN", AttributeValueList: [n(6), n(4)] } },
    "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
  ],
  [
    "ConditionalOperator with one attribute",
    { n: { Value: n(5) } },
    "ConditionalOperator can only be used when Filter or Expected has two or more elements",
    "OR",
  ],
];

export const legacyExpectedCases: readonly PortCase[] = [
  ...comparisons.map(([attribute, operator, values, holds]) =>
    judged(
      `Expected: ${attribute} ${operator} ${words(values)} ${holds ? "holds" : "fails"}`,
      {
        [attribute]: {
          ComparisonOperator: operator,
          ...(values.length > 0 && { AttributeValueList: values }),
        },
      },
      holds,
    ),
  ),
  ...combinations,
  ...refusals.map(
    ([what, expected, says, operator]): PortCase => ({
      name: `Expected is refused for ${what}`,
      source: `${source}; public conformance suites`,
      async run(world) {
        await refuses(deletion(world, expected, operator), "ValidationException", says);
      },
    }),
  ),
  {
    name: "Expected guards PutItem and UpdateItem too",
    source,
    async run({ port, tables, unique }) {
      const TableName = tables.simple;
      const Key = { pk: { S: unique() } };
      const Expected = { a: { Exists: false } };
      await port.putItem({ TableName, Item: { ...Key, a: n(1) }, Expected });
      await refuses(
        port.putItem({ TableName, Item: { ...Key, a: n(2) }, Expected }),
        "ConditionalCheckFailedException",
      );
      const AttributeUpdates = { a: { Action: "PUT" as const, Value: n(2) } };
      await refuses(
        port.updateItem({ TableName, Key, AttributeUpdates, Expected }),
        "ConditionalCheckFailedException",
      );
      same(await port.getItem({ TableName, Key }), { Item: { ...Key, a: n(1) } });
    },
  },
];
