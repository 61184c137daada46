import type { AttributeValue } from "../values/attribute-value.ts";
import type {
  ConsumedCapacity,
  ItemCollectionMetrics,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
} from "./items.ts";

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

export interface BatchWriteItemInput {
  RequestItems: Record<string, WriteRequest[]> | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  ReturnItemCollectionMetrics?: ReturnItemCollectionMetrics | undefined;
}

export interface BatchWriteItemOutput {
  UnprocessedItems?: Record<string, WriteRequest[]> | undefined;
  ItemCollectionMetrics?: Record<string, ItemCollectionMetrics[]> | undefined;
  ConsumedCapacity?: ConsumedCapacity[] | undefined;
}

export interface WriteRequest {
  PutRequest?: PutRequest | undefined;
  DeleteRequest?: DeleteRequest | undefined;
}

export interface PutRequest {
  Item: Record<string, AttributeValue> | undefined;
}

export interface DeleteRequest {
  Key: Record<string, AttributeValue> | undefined;
}
