import type { AttributeValue } from "../attribute-value.ts";
import type {
  ConsumedCapacity,
  ItemCollectionMetrics,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
} from "./capacity.ts";

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
