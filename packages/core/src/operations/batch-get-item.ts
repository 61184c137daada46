import type { AttributeValue } from "../attribute-value.ts";
import type { ConsumedCapacity, ReturnConsumedCapacity } from "./capacity.ts";

export interface BatchGetItemInput {
  RequestItems: Record<string, KeysAndAttributes> | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface BatchGetItemOutput {
  Responses?: Record<string, Record<string, AttributeValue>[]> | undefined;
  UnprocessedKeys?: Record<string, KeysAndAttributes> | undefined;
  ConsumedCapacity?: ConsumedCapacity[] | undefined;
}

export interface KeysAndAttributes {
  Keys: Record<string, AttributeValue>[] | undefined;
  AttributesToGet?: string[] | undefined;
  ConsistentRead?: boolean | undefined;
  ProjectionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
}
