import type { AttributeValue, ComparisonOperator, ExpectedAttributeValue } from "@tablekeep/core";
import { b, l, m, n, pk, s, ss } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { sampleItem } from "../sample-rows.ts";

const source = "AWS docs: LegacyConditionalParameters.Expected";

type Expected = Record<string, ExpectedAttributeValue>;
type Operator = "AND" | "OR";

const when = (ComparisonOperator: ComparisonOperator, ...AttributeValueList: AttributeValue[]): ExpectedAttributeValue => ({
  ComparisonOperator,
  ...(AttributeValueList.length > 0 && { AttributeValueList }),
});

/** What each comparison says of the sample item. */
const comparisons: readonly (readonly [
  attribute: string,
  operator: ComparisonOperator,
  values: AttributeValue[],
  holds: boolean,
])[] = [
  ["n", "EQ", [n(5)], true],
  ["n", "EQ", [n("5.0")], true],
  ["n", "EQ", [s("5")], false],
  ["ss", "EQ", [ss("c", "b", "a")], true],
  ["l", "EQ", [l(n(1))], false],
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
  ["b", "LT", [b(0xff)], true],
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
  ["b", "BEGINS_WITH", [b(1, 2)], true],
];

const combinations: readonly (readonly [what: string, expected: Expected, holds: boolean, operator?: Operator])[] = [
  ["with a value holds for an equal attribute", { n: { Value: n(5) } }, true],
  ["with a value fails for another attribute", { n: { Value: n(6) } }, false],
  ["with Exists true and a value compares", { n: { Exists: true, Value: n(5) } }, true],
  ["with Exists false holds for an absent attribute", { nowhere: { Exists: false } }, true],
  ["with Exists false fails for a present attribute", { n: { Exists: false } }, false],
  ["with a value and a comparison compares", { n: { Value: n(6), ComparisonOperator: "LT" } }, true],
  ["requires all its attributes", { n: { Value: n(5) }, s: { Value: s("no") } }, false],
  ["with AND requires all", { n: { Value: n(5) }, s: { Value: s("hello") } }, true, "AND"],
  ["with OR requires any", { n: { Value: n(5) }, s: { Value: s("no") } }, true, "OR"],
  ["with OR fails for none", { n: { Value: n(6) }, s: { Value: s("no") } }, false, "OR"],
  ["treats a name with a dot as one name", { "a.b": { Value: s("a name with a dot") } }, true],
];

const invalid = "One or more parameter values were invalid: ";
const sameType = `${invalid}AttributeValues inside AttributeValueList must be of same type`;
const notTogether = `${invalid}Value and AttributeValueList cannot be used together for Attribute: n`;
const wrongNumber = (operator: string) => `${invalid}Invalid number of argument(s) for the ${operator} ComparisonOperator`;
const notValid = (operator: string, type: string) =>
  `${invalid}ComparisonOperator ${operator} is not valid for ${type} AttributeValue type`;

const rejections: readonly (readonly [what: string, expected: Expected, says: string, operator?: Operator])[] = [
  ["no value", { n: {} }, `${invalid}Value must be provided when Exists is null for Attribute: n`],
  ["Exists true alone", { n: { Exists: true } }, `${invalid}Value must be provided when Exists is true for Attribute: n`],
  [
    "Exists false with a value",
    { n: { Exists: false, Value: n(5) } },
    `${invalid}Value cannot be used when Exists is false for Attribute: n`,
  ],
  [
    "Exists with a comparison",
    { n: { Exists: true, ...when("EQ", n(5)) } },
    `${invalid}Exists and ComparisonOperator cannot be used together for Attribute: n`,
  ],
  ["a value and a list of values", { n: { Value: n(5), ...when("EQ", n(5)) } }, notTogether],
  [
    "a list of values without a comparison",
    { n: { AttributeValueList: [n(5)] } },
    `${invalid}AttributeValueList can only be used with a ComparisonOperator for Attribute: n`,
  ],
  ["a value and a list of values without a comparison", { n: { Value: n(5), AttributeValueList: [n(5)] } }, notTogether],
  [
    "EQ without a value",
    { n: when("EQ") },
    `${invalid}Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: n`,
  ],
  ["CONTAINS of a set", { ss: when("CONTAINS", ss("a")) }, notValid("CONTAINS", "SS")],
  ["NOT_CONTAINS of a map", { l: when("NOT_CONTAINS", m({})) }, notValid("NOT_CONTAINS", "M")],
  [
    "ConditionalOperator with a condition that is wrong itself",
    { n: {} },
    `${invalid}Value must be provided when Exists is null for Attribute: n`,
    "OR",
  ],
  ["ConditionalOperator with no attribute", {}, "ConditionalOperator cannot be used without Filter or Expected", "OR"],
  ["two values for EQ", { n: when("EQ", n(5), n(6)) }, wrongNumber("EQ")],
  ["one value for BETWEEN", { n: when("BETWEEN", n(5)) }, wrongNumber("BETWEEN")],
  ["a value for NULL", { n: when("NULL", n(5)) }, wrongNumber("NULL")],
  ["values of two types", { n: when("IN", n(5), s("5")) }, sameType],
  ["values of two types before one that does not fit at all", { n: when("IN", n(5), s("5"), ss("a")) }, sameType],
  ["LT of a set", { n: when("LT", ss("a")) }, notValid("LT", "SS")],
  ["BEGINS_WITH of a number", { n: when("BEGINS_WITH", n(5)) }, notValid("BEGINS_WITH", "N")],
  [
    "BETWEEN with its bounds exchanged",
    { n: when("BETWEEN", n(6), n(4)) },
    "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
  ],
  [
    "ConditionalOperator with one attribute",
    { n: { Value: n(5) } },
    "ConditionalOperator can only be used when Filter or Expected has two or more elements",
    "OR",
  ],
];

const sample = { simple: [{ ...sampleItem, pk }] };

/** Deletes the sample item under the condition. */
function deletion(name: string, expected: Expected, rejected?: string, operator?: Operator): Row {
  return {
    name,
    given: sample,
    deleteItem: { Key: { pk }, Expected: expected, ConditionalOperator: operator },
    rejected,
    after: rejected === undefined ? { simple: [] } : sample,
  };
}

const failed = "ConditionalCheckFailedException: The conditional request failed";
const ifNew = { Expected: { a: { Exists: false } } };

export const legacyExpectedCases: readonly PortCase[] = cases({ source, table: "simple" }, [
  ...comparisons.map(([attribute, operator, values, holds]) => {
    const words = values.map((value) => JSON.stringify(value)).join(", ");
    const name = `Expected: ${attribute} ${operator} ${words} ${holds ? "holds" : "fails"}`;
    return deletion(name, { [attribute]: when(operator, ...values) }, holds ? undefined : failed);
  }),
  ...combinations.map(([what, expected, holds, operator]) =>
    deletion(`Expected ${what}`, expected, holds ? undefined : failed, operator),
  ),
  ...rejections.map(([what, expected, says, operator]) => ({
    ...deletion(`Expected is rejected for ${what}`, expected, says, operator),
    source: `${source}; public conformance suites`,
  })),
  {
    name: "Expected guards PutItem and UpdateItem too",
    steps: [
      { putItem: { Item: { pk, a: n(1) }, ...ifNew } },
      { putItem: { Item: { pk, a: n(2) }, ...ifNew }, rejected: "ConditionalCheckFailedException" },
      {
        updateItem: { Key: { pk }, AttributeUpdates: { a: { Action: "PUT", Value: n(2) } }, ...ifNew },
        rejected: "ConditionalCheckFailedException",
      },
    ],
    after: { simple: [{ pk, a: n(1) }] },
  },
]);
