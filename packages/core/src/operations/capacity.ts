import type { AttributeValue } from "../attribute-value.ts";

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
