import type { AttributeValue } from "../values/attribute-value.ts";

export type ReturnValue = "NONE" | "ALL_OLD" | "UPDATED_OLD" | "ALL_NEW" | "UPDATED_NEW";

export type ReturnValuesOnConditionCheckFailure = "ALL_OLD" | "NONE";

export type Select = "ALL_ATTRIBUTES" | "ALL_PROJECTED_ATTRIBUTES" | "SPECIFIC_ATTRIBUTES" | "COUNT";

export interface ItemResponse {
  Item?: Record<string, AttributeValue> | undefined;
}

export interface AttributeValueUpdate {
  Value?: AttributeValue | undefined;
  Action?: AttributeAction | undefined;
}

export type AttributeAction = "ADD" | "PUT" | "DELETE";

export interface ExpectedAttributeValue {
  Value?: AttributeValue | undefined;
  Exists?: boolean | undefined;
  ComparisonOperator?: ComparisonOperator | undefined;
  AttributeValueList?: AttributeValue[] | undefined;
}

export type ComparisonOperator =
  | "EQ"
  | "NE"
  | "IN"
  | "LE"
  | "LT"
  | "GE"
  | "GT"
  | "BETWEEN"
  | "NOT_NULL"
  | "NULL"
  | "CONTAINS"
  | "NOT_CONTAINS"
  | "BEGINS_WITH";

export type ConditionalOperator = "AND" | "OR";

export interface Condition {
  AttributeValueList?: AttributeValue[] | undefined;
  ComparisonOperator: ComparisonOperator | undefined;
}

export interface VectorCapacity {
  VectorSearchRequestBytes?: number | undefined;
  VectorWriteRequestBytes?: number | undefined;
}

export type ReturnConsumedCapacity = "INDEXES" | "TOTAL" | "NONE";

export interface ConsumedCapacity {
  TableName?: string | undefined;
  CapacityUnits?: number | undefined;
  ReadCapacityUnits?: number | undefined;
  WriteCapacityUnits?: number | undefined;
  Table?: Capacity | undefined;
  LocalSecondaryIndexes?: Record<string, Capacity> | undefined;
  GlobalSecondaryIndexes?: Record<string, Capacity> | undefined;
  VectorIndexes?: Record<string, VectorCapacity> | undefined;
}

export interface Capacity {
  ReadCapacityUnits?: number | undefined;
  WriteCapacityUnits?: number | undefined;
  CapacityUnits?: number | undefined;
}

export type ReturnItemCollectionMetrics = "SIZE" | "NONE";

export interface ItemCollectionMetrics {
  ItemCollectionKey?: Record<string, AttributeValue> | undefined;
  SizeEstimateRangeGB?: number[] | undefined;
}

export interface GetItemInput {
  TableName: string | undefined;
  Key: Record<string, AttributeValue> | undefined;
  AttributesToGet?: string[] | undefined;
  ConsistentRead?: boolean | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  ProjectionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
}

export interface GetItemOutput {
  Item?: Record<string, AttributeValue> | undefined;
  ConsumedCapacity?: ConsumedCapacity | undefined;
}

export interface PutItemInput {
  TableName: string | undefined;
  Item: Record<string, AttributeValue> | undefined;
  Expected?: Record<string, ExpectedAttributeValue> | undefined;
  ReturnValues?: ReturnValue | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  ReturnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
  ConditionalOperator?: ConditionalOperator | undefined;
  ConditionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
  ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure | undefined;
}

export interface PutItemOutput {
  Attributes?: Record<string, AttributeValue> | undefined;
  ConsumedCapacity?: ConsumedCapacity | undefined;
  ItemCollectionMetrics?: ItemCollectionMetrics | undefined;
}

export interface UpdateItemInput {
  TableName: string | undefined;
  Key: Record<string, AttributeValue> | undefined;
  AttributeUpdates?: Record<string, AttributeValueUpdate> | undefined;
  Expected?: Record<string, ExpectedAttributeValue> | undefined;
  ConditionalOperator?: ConditionalOperator | undefined;
  ReturnValues?: ReturnValue | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  ReturnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
  UpdateExpression?: string | undefined;
  ConditionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
  ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure | undefined;
}

export interface UpdateItemOutput {
  Attributes?: Record<string, AttributeValue> | undefined;
  ConsumedCapacity?: ConsumedCapacity | undefined;
  ItemCollectionMetrics?: ItemCollectionMetrics | undefined;
}

export interface DeleteItemInput {
  TableName: string | undefined;
  Key: Record<string, AttributeValue> | undefined;
  Expected?: Record<string, ExpectedAttributeValue> | undefined;
  ConditionalOperator?: ConditionalOperator | undefined;
  ReturnValues?: ReturnValue | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  ReturnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
  ConditionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
  ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure | undefined;
}

export interface DeleteItemOutput {
  Attributes?: Record<string, AttributeValue> | undefined;
  ConsumedCapacity?: ConsumedCapacity | undefined;
  ItemCollectionMetrics?: ItemCollectionMetrics | undefined;
}

export interface QueryInput {
  TableName: string | undefined;
  IndexName?: string | undefined;
  Select?: Select | undefined;
  AttributesToGet?: string[] | undefined;
  Limit?: number | undefined;
  ConsistentRead?: boolean | undefined;
  KeyConditions?: Record<string, Condition> | undefined;
  QueryFilter?: Record<string, Condition> | undefined;
  ConditionalOperator?: ConditionalOperator | undefined;
  ScanIndexForward?: boolean | undefined;
  ExclusiveStartKey?: Record<string, AttributeValue> | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  ProjectionExpression?: string | undefined;
  FilterExpression?: string | undefined;
  KeyConditionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
}

export interface QueryOutput {
  Items?: Record<string, AttributeValue>[] | undefined;
  Count?: number | undefined;
  ScannedCount?: number | undefined;
  LastEvaluatedKey?: Record<string, AttributeValue> | undefined;
  ConsumedCapacity?: ConsumedCapacity | undefined;
}

export interface ScanInput {
  TableName: string | undefined;
  IndexName?: string | undefined;
  AttributesToGet?: string[] | undefined;
  Limit?: number | undefined;
  Select?: Select | undefined;
  ScanFilter?: Record<string, Condition> | undefined;
  ConditionalOperator?: ConditionalOperator | undefined;
  ExclusiveStartKey?: Record<string, AttributeValue> | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  TotalSegments?: number | undefined;
  Segment?: number | undefined;
  ProjectionExpression?: string | undefined;
  FilterExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
  ConsistentRead?: boolean | undefined;
}

export interface ScanOutput {
  Items?: Record<string, AttributeValue>[] | undefined;
  Count?: number | undefined;
  ScannedCount?: number | undefined;
  LastEvaluatedKey?: Record<string, AttributeValue> | undefined;
  ConsumedCapacity?: ConsumedCapacity | undefined;
}
