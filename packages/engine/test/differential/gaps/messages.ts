/**
 * Messages of DynamoDB Local that differ from DynamoDB's, as data: its message, DynamoDB's, and the source. A pattern
 * covers the whole message, without what surrounds every message about placeholders.
 */
export interface MessagePair {
  readonly local: RegExp;
  readonly dynamo: RegExp;
  readonly source: string;
}

const suites = "public conformance suites";
const dynalite = "dynalite's suite, run against AWS";
const invalid = "One or more parameter values were invalid: ";
const keyMismatch = new RegExp(
  `^(The provided key element does not match the schema|${invalid}(Missing the key \\w+ in the item|Type mismatch for (key|Index Key) .+))$`,
);
const indexKeyMismatch =
  /^The update expression attempted to update the secondary index key to unsupported type$/;
const tooLong = new RegExp(
  `^${invalid}(Size of hashkey has exceeded the maximum size limit of2048 bytes|Aggregated size of all range keys has exceeded the size limit of 1024 bytes)$`,
);
const constraint =
  /^(\d validation errors? detected: )?(Value .+ failed|Failed) to satisfy constraint: Member must .+$/;

const ofKeys: readonly MessagePair[] = [
  { local: /^The number of conditions on the keys is invalid$/, dynamo: keyMismatch, source: suites },
  { local: /^One of the required keys was not given a value$/, dynamo: keyMismatch, source: suites },
  { local: /^Invalid attribute value type$/, dynamo: keyMismatch, source: suites },
  { local: new RegExp(`^${invalid}Type mismatch for (key|Index Key)$`), dynamo: keyMismatch, source: suites },
  { local: new RegExp(`^${invalid}Type mismatch for Index Key$`), dynamo: indexKeyMismatch, source: suites },
  { local: /^Invalid attribute value type$/, dynamo: indexKeyMismatch, source: suites },
  {
    local:
      /^Hash primary key values must be under 2048 bytes, and range primary key values must be under 1024 bytes$/,
    dynamo: tooLong,
    source: suites,
  },
  { local: new RegExp(`^${invalid}Size limit exceeded$`), dynamo: tooLong, source: suites },
  {
    local:
      /^(Exclusive Start Key must have same size as table's key schema|Type mismatch for attribute to update|The provided starting key is invalid)$/,
    dynamo: /^The provided starting key is invalid(: The provided key element does not match the schema)?$/,
    source: dynalite,
  },
];

const ofWholeItems: readonly MessagePair[] = [
  { local: /^Item to put in PutItem cannot be null$/, dynamo: keyMismatch, source: suites },
];

const ofStartKeys: readonly MessagePair[] = [
  {
    local: /^Exclusive start key must lie within the segment$/,
    dynamo:
      /^The provided starting key is invalid: Invalid ExclusiveStartKey\. Please use ExclusiveStartKey with correct Segment\.$/,
    source: dynalite,
  },
  {
    local:
      /^The provided starting key (does not match the range key predicate|is outside query boundaries .+)$/,
    dynamo:
      /^The provided starting key (does not match the range key predicate|is outside query boundaries .+|is invalid.*)$/,
    source: suites,
  },
];

const ofValues: readonly MessagePair[] = [
  {
    local: /^A value provided cannot be converted into a number$/,
    dynamo: /^The parameter cannot be converted to a numeric value(: .*)?$/,
    source: suites,
  },
  {
    local: /^DynamoDB only supports precision up to 38 digits$/,
    dynamo: /^Attempting to store more than 38 significant digits in a Number$/,
    source: suites,
  },
  {
    local:
      /^(One or more parameter values were invalid: Input collection .+|Input collection) contains duplicates$/,
    dynamo: /^One or more parameter values were invalid: Input collection (.+ )?contains duplicates\.$/,
    source: suites,
  },
  {
    local: new RegExp(`^${invalid}Input collection of type BS contains duplicates\\.$`),
    dynamo: new RegExp(`^${invalid}Input collection \\[.*\\]of type BS contains duplicates\\.$`),
    source: dynalite,
  },
  {
    local: /^ExpressionAttributeValues can only be specified when using expressions: .+ null$/,
    dynamo: /^ExpressionAttributeValues can only be specified when using expressions$/,
    source: suites,
  },
];

const ofParameters: readonly MessagePair[] = [
  {
    local: /^Return values set to invalid value$/,
    dynamo: /^ReturnValues can only be ALL_OLD or NONE$/,
    source: suites,
  },
  { local: /^Return values set to invalid value$/, dynamo: constraint, source: suites },
  {
    local: /^Cannot have null key for GetItem, DeleteItem, or UpdateItem$/,
    dynamo: constraint,
    source: suites,
  },
  {
    local: /^Value null at '.+' failed to satisfy constraint: Member must not be null$/,
    dynamo: constraint,
    source: suites,
  },
  { local: /^Member must satisfy enum value set: .+$/, dynamo: constraint, source: suites },
  { local: /^Comparison type does not exist in DynamoDB$/, dynamo: constraint, source: suites },
  { local: /^Limit must be greater than or equal to 1$/, dynamo: constraint, source: suites },
  {
    local: /^If segment is specified, total segment must also be specified$/,
    dynamo: /^The TotalSegments parameter is required but was not present .+$/,
    source: dynalite,
  },
  {
    local: /^If total segments is specified, a particular segment must also be specified for this request$/,
    dynamo: /^The Segment parameter is required but was not present .+$/,
    source: dynalite,
  },
  {
    local: /^1 validation error detected: Value '\d+' at 'segment' failed to satisfy constraint: .+$/,
    dynamo: /^The Segment parameter is zero-based and must be less than parameter TotalSegments: .+$/,
    source: dynalite,
  },
  {
    local: /^ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName$/,
    dynamo: /^ALL_PROJECTED_ATTRIBUTES can be used only when Scanning using an IndexName$/,
    source: suites,
  },
  {
    local: /^Cannot have two attributes with the same name$/,
    dynamo: new RegExp(`^${invalid}Duplicate value in attribute name: .+$`),
    source: dynalite,
  },
  {
    local: /^BatchGetItem must have some requests set$/,
    dynamo:
      /^The requestItems parameter is required for BatchGetItem$|^1 validation error detected: Value at 'RequestItems' .+$/,
    source: suites,
  },
  {
    local: /^BatchWriteItem cannot have a null or no requests set$/,
    dynamo: /^The requestItems parameter is required for BatchWriteItem$/,
    source: suites,
  },
  {
    local: /^The list of keys in RequestItems for BatchGetItem may not contain null or empty values: .+$/,
    dynamo: keyMismatch,
    source: suites,
  },
  {
    local: /^Invalid Request: TransactWriteRequest should contain Delete or Put or Update request$/,
    dynamo: /^TransactItems can only contain one of Check, Put, Update or Delete$/,
    source: suites,
  },
  {
    local: /^$/,
    dynamo: /^The request uses the same client token as a previous, but non-identical request\..+$/,
    source: "AWS: API_TransactWriteItems, IdempotentParameterMismatchException",
  },
  {
    local: /^Cannot do operations on a non-existent table$/,
    dynamo: /^Requested resource not found$/,
    source: suites,
  },
];

const ofQueries: readonly MessagePair[] = [
  {
    local: /^Query key condition not supported$/,
    dynamo: /^Attempted conditional constraint is not an indexable operation$/,
    source: dynalite,
  },
  {
    local:
      /^(Query (condition missed key schema element|key condition not supported)|Conditions can be of length 1 or 2 only)$/,
    dynamo:
      /^The number of query conditions \(\d\) exceeds the number of key attributes defined in the schema \(\d\)$/,
    source: suites,
  },
  {
    local: /^KeyConditionExpressions must only contain one condition per key$/,
    dynamo:
      /^Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key$/,
    source: suites,
  },
  {
    local: /^Query (condition missed key schema element|key condition not supported)$/,
    dynamo: /^Query condition missed key schema element: \w+$/,
    source: suites,
  },
  {
    local:
      /^Key attributes must be scalars; list random access '\[\]' and map lookup '\.' are not allowed: Key: \w+$/,
    dynamo: /^KeyConditionExpressions cannot have conditions on nested attributes$/,
    source: dynalite,
  },
  {
    local: /^Only scalar types can be used as (Hash|Range) Key values$/,
    dynamo: /^Attempted conditional constraint is not an indexable operation$/,
    source: dynalite,
  },
  {
    local: /^Conditions (must be at least length 1|can be of length 1 or 2 only)$/,
    dynamo:
      /^(Query condition missed key schema element: \w+|Either the KeyConditions or KeyConditionExpression .+)$/,
    source: `${suites}; keys of several attributes, since November 2025, allow more conditions than two`,
  },
];

/** Local may name paths that do not overlap, or the two in the other order. */
const ofPaths: readonly MessagePair[] = ["Update", "Projection"].flatMap((kind) =>
  ["overlap", "conflict"].map((verb) => {
    const words = new RegExp(`^Invalid ${kind}Expression: Two document paths ${verb} with each other; .+$`);
    return { local: words, dynamo: words, source: dynalite };
  }),
);

/** Both name the same types, or the same values: sets have no order, numbers and bytes several forms. */
const ofSets: readonly MessagePair[] = [
  {
    local: /A value specified for a secondary index key is not supported\..+ IndexName: by-.+, IndexKey: \w$/,
    dynamo:
      /A value specified for a secondary index key is not supported\..+ IndexName: by-.+, IndexKey: \w$/,
    source: "seen on AWS by the authors of ExtendDB: of indexes with the same key the first by name is named",
  },
  {
    local: /The BETWEEN operator requires same data type .+AttributeValue: \{[NB]:.*\}/,
    dynamo: /The BETWEEN operator requires same data type .+AttributeValue: \{[NB]:.*\}/,
    source: "public conformance suites: numbers in normal form",
  },
  {
    local: /The BETWEEN operator requires upper bound .+AttributeValue: \{[NB]:.*\}/,
    dynamo: /The BETWEEN operator requires upper bound .+AttributeValue: \{[NB]:.*\}/,
    source: "public conformance suites: numbers in normal form",
  },
  {
    local: /Invalid attribute type name found; type: .*, valid types: \{.+\}$/,
    dynamo: /Invalid attribute type name found; type: .*, valid types: \{B,NULL,SS,BOOL,L,BS,N,NS,S,M\}$/,
    source: dynalite,
  },
  {
    local: /operator or function: attribute_type, operand type: \{.+\}$/,
    dynamo: /operator or function: attribute_type, operand type: \{NS,SS,L,BS,N,M,B,BOOL,NULL,S\}$/,
    source: dynalite,
  },
];

const otherWords: readonly MessagePair[] = [
  ...ofKeys,
  ...ofStartKeys,
  ...ofWholeItems,
  ...ofValues,
  ...ofParameters,
  ...ofQueries,
  ...ofPaths,
  ...ofSets,
];

/** What surrounds a message about the value of a placeholder. */
const wrapping = /^(ExpressionAttributeValues contains invalid value: )(.*)( for key :\w+)$/;

/** What AWS puts before a message about a value in the starting key of a scan. Source: dynalite's suite, run against AWS. */
const inStartKey = /^The provided starting key is invalid: (.*)$/;

/** Returns whether DynamoDB Local's message corresponds to the engine's. */
export function isEquivalentMessage(local: string, engine: string): boolean {
  if (local === engine) return true;
  const [ours, theirs] = [wrapping.exec(engine), wrapping.exec(local)];
  if (ours !== null && theirs !== null && ours[3] === theirs[3])
    return isEquivalentMessage(theirs[2] ?? "", ours[2] ?? "");
  // AWS no longer names the placeholder here; the port suite checks where.
  if (ours === null && theirs !== null) return isEquivalentMessage(theirs[2] ?? "", engine);
  if (inOneOrder(local) === inOneOrder(engine)) return true;
  const value = inStartKey.exec(engine);
  if (value !== null && !inStartKey.test(local) && isEquivalentMessage(local, value[1] ?? "")) return true;
  return otherWords.some((words) => words.local.test(local) && words.dynamo.test(engine));
}

/** Returns the message with the names in a list at its end sorted: Local's order is that of a hash. */
function inOneOrder(message: string): string {
  const list = /^(.* does not project |.* keys: )([[{])(.+)([\]}])$/.exec(message);
  if (list === null) return message;
  const [, start = "", open = "", names = "", close = ""] = list;
  return start + open + names.split(", ").sort().join(", ") + close;
}
