import type { AttributeValue } from "../attribute-value.ts";
import type { ConsumedCapacity, ReturnConsumedCapacity } from "./capacity.ts";
import type { Select } from "./item-shapes.ts";
import type { Condition, ConditionalOperator } from "./legacy-conditions.ts";

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
