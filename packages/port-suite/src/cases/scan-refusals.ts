import type { ScanInput } from "@tablekeep/core";
import { refuses } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";

const refusals: readonly { what: string; input: Partial<ScanInput>; text?: string; gap?: string }[] = [
  { what: "Limit 0", input: { Limit: 0 } },
  {
    what: "a Segment without TotalSegments",
    input: { Segment: 0 },
    text: "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
    gap: "refuses with other words",
  },
  {
    what: "TotalSegments without a Segment",
    input: { TotalSegments: 2 },
    text: "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
    gap: "refuses with other words",
  },
  {
    what: "a Segment that is not less than TotalSegments",
    input: { Segment: 5, TotalSegments: 5 },
    text: "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5",
    gap: "refuses with other words",
  },
  { what: "a negative Segment", input: { Segment: -1, TotalSegments: 2 } },
  { what: "TotalSegments 0", input: { Segment: 0, TotalSegments: 0 } },
  { what: "TotalSegments 1,000,001", input: { Segment: 0, TotalSegments: 1_000_001 } },
  { what: "an empty filter", input: { FilterExpression: "" }, text: "The expression can not be empty;" },
  {
    what: "an undefined value",
    input: { FilterExpression: "a = :v" },
    text: "An expression attribute value used in expression is not defined; attribute value: :v",
  },
  {
    what: "a filter beside a legacy ScanFilter",
    input: { FilterExpression: "attribute_exists(a)", ScanFilter: { a: { ComparisonOperator: "NOT_NULL" } } },
    text: "Can not use both expression and non-expression parameters in the same request",
  },
  { what: "Select SPECIFIC_ATTRIBUTES without a projection", input: { Select: "SPECIFIC_ATTRIBUTES" } },
  { what: "Select COUNT with a projection", input: { Select: "COUNT", ProjectionExpression: "a" } },
  {
    what: "a starting key with a further attribute",
    input: { ExclusiveStartKey: { pk: { S: "a" }, x: { S: "x" } } },
    text: "The provided starting key is invalid",
    gap: "refuses with other words",
  },
  { what: "a starting key of the wrong type", input: { ExclusiveStartKey: { pk: { N: "1" } } } },
  {
    what: "an index that does not exist",
    input: { IndexName: "no-such-index" },
    text: "The table does not have the specified index",
  },
];

export const scanRefusalCases: readonly PortCase[] = refusals.map(({ what, input, text, gap }) => ({
  name: `Scan refuses ${what}`,
  source: "AWS: API_Scan; public conformance suites",
  async run({ port, tables }) {
    await refuses(port.scan({ TableName: tables.simple, ...input }), "ValidationException", text);
  },
  ...localGap(gap),
}));
