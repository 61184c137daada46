/** The shapes of requests on items. Enum values are in the order of DynamoDB's messages. */
import {
  boolean,
  hideValue,
  inNewerLayer,
  item,
  list,
  type Members,
  map,
  number,
  oneOf,
  optional,
  reportedAlone,
  reportedBare,
  required,
  type Shape,
  structure,
  type TextShape,
  text,
  value,
} from "./shape.ts";

// AWS: Limits — names of tables and indexes. Requests on items also accept shorter names, and ARNs, which are
// replaced by names before this check.
const namePattern = /^[a-zA-Z0-9_.-]+$/;
const tableNames = { min: 3, max: 255, pattern: namePattern };
export const tableName: Shape = text(tableNames);
export const existingTableName: TextShape = text({ min: 1, max: 255, pattern: namePattern });
const writtenTableName: Shape = inNewerLayer(
  existingTableName,
  "Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
);
export const indexName: Shape = text({ min: 3, max: 255, pattern: namePattern });

const returnConsumedCapacity = optional(oneOf("INDEXES", "TOTAL", "NONE"));
const returnItemCollectionMetrics = optional(oneOf("SIZE", "NONE"));
const returnValuesOnFailure = optional(oneOf("ALL_OLD", "NONE"));
const enumIn = (values: string) =>
  `Failed to satisfy constraint: Member must satisfy enum value set: [${values}]`;
// The newer layer of checks lists other values than it accepts. Source: the Parity Suite of 2026-10-09, `validation-ordering`.
const returnValues = optional(
  inNewerLayer(
    oneOf("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"),
    enumIn("ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE"),
  ),
);
const conditionalOperators = oneOf("OR", "AND");
const newerConditionalOperator = {
  ...optional(inNewerLayer(conditionalOperators, enumIn("ALL, OR"))),
  isRead: canUseConditionalOperator,
};
/** Returns whether the conditions of a request can be combined: others are rejected for that, whatever the operator. */
function canUseConditionalOperator(request: object): boolean {
  const names = Object.keys(request);
  const conditions =
    "Expected" in request ? request.Expected : (request as { QueryFilter?: object }).QueryFilter;
  return Object.keys(conditions ?? {}).length > 1 && !names.some((name) => name.endsWith("Expression"));
}

const names = optional(map(text()));
const values = optional(item);
const attributesToGet = optional(list(text({ max: 65535 }), 1));

const comparisonOperator = oneOf(
  "IN",
  "NULL",
  "BETWEEN",
  "LT",
  "NOT_CONTAINS",
  "EQ",
  "GT",
  "NOT_NULL",
  "NE",
  "LE",
  "BEGINS_WITH",
  "GE",
  "CONTAINS",
);
const conditions = optional(
  map(
    structure({
      AttributeValueList: optional(list(value)),
      ComparisonOperator: required(comparisonOperator),
    }),
  ),
);
const expected = optional(
  map(
    structure({
      Value: optional(value),
      Exists: optional(boolean),
      ComparisonOperator: optional(comparisonOperator),
      AttributeValueList: optional(list(value)),
    }),
  ),
);

const conditional: Members = {
  ConditionExpression: optional(text()),
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: values,
};
/** In the order in which DynamoDB reports problems. */
const write: Members = {
  ReturnConsumedCapacity: returnConsumedCapacity,
  TableName: reportedAlone(required(writtenTableName)),
  ReturnValues: returnValues,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  ReturnValuesOnConditionCheckFailure: returnValuesOnFailure,
  Expected: expected,
  ConditionalOperator: reportedAlone(newerConditionalOperator),
  ...conditional,
};
const read: Members = {
  TableName: reportedAlone(required(existingTableName)),
  ReturnConsumedCapacity: returnConsumedCapacity,
  AttributesToGet: attributesToGet,
  ProjectionExpression: optional(text()),
  ExpressionAttributeNames: names,
  ConsistentRead: optional(boolean),
};
const page: Members = {
  ...read,
  IndexName: optional(indexName),
  ExpressionAttributeValues: values,
  Select: optional(oneOf("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")),
  FilterExpression: optional(text()),
  ConditionalOperator: optional(conditionalOperators),
  ExclusiveStartKey: optional(item),
  Limit: optional(number(1)),
};

const batchWrites = list(
  structure({
    PutRequest: optional(structure({ Item: required(item) })),
    DeleteRequest: optional(structure({ Key: required(item) })),
  }),
  1,
  25,
);
const batchKeys = structure({
  Keys: required(hideValue(list(item, 1, 100))),
  AttributesToGet: attributesToGet,
  ConsistentRead: optional(boolean),
  ProjectionExpression: optional(text()),
  ExpressionAttributeNames: names,
});
const action: Members = {
  TableName: required(existingTableName),
  ReturnValuesOnConditionCheckFailure: returnValuesOnFailure,
  ...conditional,
};

export const itemShapes: { readonly [operation: string]: Members } = {
  PutItem: { ...write, Item: required(item) },
  DeleteItem: { ...write, Key: required(item) },
  UpdateItem: {
    ...write,
    ReturnValues: reportedAlone(returnValues),
    Key: required(item),
    UpdateExpression: optional(text()),
    AttributeUpdates: optional(
      map(structure({ Action: optional(oneOf("ADD", "DELETE", "PUT")), Value: optional(value) })),
    ),
  },
  GetItem: { ...read, Key: required(item) },
  Query: {
    ...page,
    KeyConditionExpression: optional(text()),
    KeyConditions: conditions,
    QueryFilter: conditions,
    ConditionalOperator: reportedBare(newerConditionalOperator),
    ScanIndexForward: optional(boolean),
    Limit: optional(hideValue(number(1))),
  },
  Scan: {
    ...page,
    ScanFilter: conditions,
    Segment: optional(number(0, 999_999)),
    TotalSegments: optional(number(1, 1_000_000)),
  },
  BatchGetItem: {
    RequestItems: optional(map(batchKeys, { max: 100, names: tableNames })),
    ReturnConsumedCapacity: returnConsumedCapacity,
  },
  BatchWriteItem: {
    RequestItems: optional(map(batchWrites, { max: 25, names: { ...tableNames, last: true } })),
    ReturnConsumedCapacity: returnConsumedCapacity,
    ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  },
  TransactGetItems: {
    TransactItems: required(
      list(
        structure({
          Get: required(
            structure({
              TableName: required(existingTableName),
              Key: required(item),
              ProjectionExpression: optional(text()),
              ExpressionAttributeNames: names,
            }),
          ),
        }),
        1,
        100,
      ),
    ),
    ReturnConsumedCapacity: returnConsumedCapacity,
  },
  TransactWriteItems: {
    TransactItems: required(
      list(
        structure({
          ConditionCheck: optional(
            structure({ ...action, Key: required(item), ConditionExpression: required(text()) }),
          ),
          Put: optional(structure({ ...action, Item: required(item) })),
          Delete: optional(structure({ ...action, Key: required(item) })),
          Update: optional(structure({ ...action, Key: required(item), UpdateExpression: required(text()) })),
        }),
        1,
        100,
      ),
    ),
    ClientRequestToken: optional(text({ min: 1, max: 36 })),
    ReturnConsumedCapacity: returnConsumedCapacity,
    ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  },
};
