/**
 * The order in which DynamoDB looks for faults in a request. A request with several faults is refused for the one of the
 * earliest stage; DynamoDB Local looks in another order. Stages after dynalite's suite and the conformance suites, which
 * ran against AWS.
 */
const stages: readonly (readonly RegExp[])[] = [
  // What is no request at all.
  [
    /(cannot be|are) convert(ed|ible) to/,
    /^Start of structure/,
    /^Unrecognized collection type/,
    /^Base64/,
    /^Unexpected/,
  ],
  [/validation errors? detected/, /^The requestItems parameter/],
  // What can be seen without a table: how parameters go together, then values, then the older parameters.
  [/^Can not use both/, /can only be specified when using expressions/, /^TransactItems can only contain/],
  [
    /^Supplied AttributeValue/,
    /^(The parameter|A value provided) cannot be converted/,
    /^Number (overflow|underflow)/,
    /^(Attempting to store|DynamoDB only supports)/,
    /^(One or more parameter values were invalid: )?(An \w+ set|Binary sets|Input collection|Null attribute)/,
    /attribute name cannot be empty|^Empty attribute name/,
  ],
  [/^ReturnValues can only|^Return values set/],
  [/action (is|with value is) not supported|Only DELETE action/],
  [
    /ComparisonOperator|AttributeValueList|^The BETWEEN condition/,
    /^One or more parameter values were invalid: (Value|Exists)/,
    /Duplicate value in attribute name|two attributes with the same name/,
  ],
  [/^ConditionalOperator/],
  [/Segment parameter|total segment/],
  [/^Either the KeyConditions|^Conditions (must be at least length 1|can be of length 1 or 2 only)/],
  // Expressions.
  [/^ExpressionAttribute(Names|Values) (must not be empty|contains invalid key)/],
  [/^ExpressionAttributeValues contains invalid value/],
  [/^Invalid UpdateExpression/],
  [/^Invalid ConditionExpression/],
  [/^Invalid KeyConditionExpression/],
  [/^Invalid FilterExpression/],
  [/^Invalid ProjectionExpression/],
  [/^Value provided in ExpressionAttribute/],
  [/KeyConditionExpression|^Attempted conditional constraint|^Only scalar types/],
  [/^(ALL_PROJECTED_ATTRIBUTES|Must specify|Cannot specify)/],
  // What the tables show.
  [
    /^Invalid table\/index name/,
    /^Requested resource not found|^Cannot do operations on a non-existent table/,
    /does not have the specified index/,
  ],
  [/Consistent reads are not supported/],
  [
    /key element does not match|conditions on the keys|Missing the key|required keys|Type mismatch for|Invalid attribute value type/,
    /empty (string|binary) value|null or empty values/,
    /has exceeded the (maximum )?size limit|^Hash primary key|Size limit exceeded/,
    /^Query (key )?condition|^Condition parameter type|^One or more parameter values were invalid: Condition parameter/,
    /non-primary key attributes/,
    /does not project|Select type/,
    /^(The provided starting key|Exclusive Start Key)/,
    /Cannot update attribute/,
    /contains duplicates|multiple operations on one item/,
  ],
  // What only the item shows.
  [
    /^The conditional request failed/,
    /^Transaction cancelled/,
    /^The document path provided/,
    /refers to an attribute that does not exist/,
    /operand in the update expression/,
    /^Type mismatch for attribute to update/,
    /Item size/,
    /secondary index key/,
  ],
];

/** The stage at which a request is refused with these words; undefined for words that are not listed. */
export function faultStage(message: string): number | undefined {
  const at = stages.findIndex((patterns) => patterns.some((pattern) => pattern.test(message)));
  return at < 0 ? undefined : at;
}
