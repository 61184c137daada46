import type { AttributeValue } from "../attribute-value.ts";
import type { ConsumedCapacity, ReturnConsumedCapacity } from "./capacity.ts";
import type { Select } from "./item-shapes.ts";
import type { Condition, ConditionalOperator } from "./legacy-conditions.ts";

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
