/**
 * The order in which DynamoDB looks for faults in a request. A request with several faults is refused for the one of the
 * earliest stage; DynamoDB Local looks in another order (conformance suites run against AWS: "validation order").
 */
const stages: readonly (readonly RegExp[])[] = [
  // What is no request at all.
  [
    /cannot be converted to (String|Integer|Boolean|List|Map|Structure|AttributeValue|Blob)/,
    /^Start of structure/,
    /^Unrecognized collection type/,
    /^Base64/,
  ],
  [/validation errors? detected/],
  // What can be seen without a table.
  [
    /^Can not use both/,
    /can only be specified when using expressions/,
    /^ConditionalOperator/,
    /^ReturnValues can only/,
    /^Supplied AttributeValue/,
    /numeric value/,
    /^Number (overflow|underflow)/,
    /38 significant digits/,
    /set {2}may not be empty|sets should not be empty|contains duplicates/,
    /Null attribute value types/,
    /ComparisonOperator|AttributeValueList/,
    /^One or more parameter values were invalid: (Value|Exists)/,
    /^Invalid \w+Expression/,
    /^(ExpressionAttributeNames|ExpressionAttributeValues|Value provided in)/,
    /action (is|with value is) not supported|Only DELETE action/,
    /Segment/,
    /^Either the KeyConditions/,
    /Duplicate value in attribute name/,
    /Provided list of item keys contains duplicates/,
    /^(ALL_PROJECTED_ATTRIBUTES|Must specify|Cannot specify)/,
    /KeyConditionExpression/,
    /^The BETWEEN condition/,
    /^Attempted conditional constraint/,
  ],
  [/^Requested resource not found/, /does not have the specified index/],
  // What the table's schema shows.
  [
    /key element does not match the schema/,
    /Missing the key/,
    /Type mismatch for/,
    /empty (string|binary) value/,
    /^Query (key )?condition/,
    /^Condition parameter type/,
    /non-primary key attributes/,
    /^The provided starting key/,
    /Consistent reads are not supported/,
    /has exceeded the (maximum )?size limit/,
    /Cannot update attribute/,
    /does not project/,
  ],
  // What only the item shows.
  [
    /^The conditional request failed/,
    /^The document path provided/,
    /refers to an attribute that does not exist/,
    /operand in the update expression/,
    /Item size/,
    /secondary index key/,
  ],
];

/** The stage at which a request is refused with these words; undefined for words that are not listed. */
export function faultStage(message: string): number | undefined {
  const at = stages.findIndex((patterns) => patterns.some((pattern) => pattern.test(message)));
  return at < 0 ? undefined : at;
}
