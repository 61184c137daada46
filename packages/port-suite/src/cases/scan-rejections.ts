import type { ScanInput } from "@tablekeep/core";
import { n, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const otherWords = "rejects with other words";
const startKeyMismatch = "The provided starting key is invalid: The provided key element does not match the schema";

const rejections: readonly (readonly [what: string, input: Partial<ScanInput>, says?: string, gap?: string])[] = [
  ["Limit 0", { Limit: 0 }],
  [
    "a Segment without TotalSegments",
    { Segment: 0 },
    "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
    otherWords,
  ],
  [
    "TotalSegments without a Segment",
    { TotalSegments: 2 },
    "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
    otherWords,
  ],
  [
    "a Segment that is not less than TotalSegments",
    { Segment: 5, TotalSegments: 5 },
    "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5",
    otherWords,
  ],
  ["a negative Segment", { Segment: -1, TotalSegments: 2 }],
  ["TotalSegments 0", { Segment: 0, TotalSegments: 0 }],
  ["TotalSegments 1,000,001", { Segment: 0, TotalSegments: 1_000_001 }],
  ["an empty filter", { FilterExpression: "" }, "The expression can not be empty;"],
  [
    "an undefined value",
    { FilterExpression: "a = :v" },
    "An expression attribute value used in expression is not defined; attribute value: :v",
  ],
  [
    "a filter beside a legacy ScanFilter",
    { FilterExpression: "attribute_exists(a)", ScanFilter: { a: { ComparisonOperator: "NOT_NULL" } } },
    "Can not use both expression and non-expression parameters in the same request",
  ],
  ["Select SPECIFIC_ATTRIBUTES without a projection", { Select: "SPECIFIC_ATTRIBUTES" }],
  ["Select COUNT with a projection", { Select: "COUNT", ProjectionExpression: "a" }],
  ["a starting key with a further attribute", { ExclusiveStartKey: { pk: s("a"), x: s("x") } }, startKeyMismatch, otherWords],
  ["a starting key of the wrong type", { ExclusiveStartKey: { pk: n(1) } }, startKeyMismatch, otherWords],
  [
    "a number in a starting key that is not a number",
    { ExclusiveStartKey: { pk: n("one") } },
    "The provided starting key is invalid: The parameter cannot be converted to a numeric value: one",
    otherWords,
  ],
  ["an index that does not exist", { IndexName: "no-such-index" }, "The table does not have the specified index"],
];

export const scanRejectionCases: readonly PortCase[] = cases(
  { source: "AWS: API_Scan; public conformance suites", table: "simple" },
  rejections.map(([what, scan, says = "", gap]): Row => ({ name: `Scan rejects ${what}`, gap, scan, rejected: says })),
);
