import type { AttributeValue } from "../attribute-value.ts";
import type { ConsumedCapacity, ReturnConsumedCapacity } from "./capacity.ts";
import type { ItemResponse } from "./item-shapes.ts";

export interface TransactGetItemsInput {
  TransactItems: TransactGetItem[] | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface TransactGetItemsOutput {
  ConsumedCapacity?: ConsumedCapacity[] | undefined;
  Responses?: ItemResponse[] | undefined;
}

export interface TransactGetItem {
  Get: Get | undefined;
}

export interface Get {
  Key: Record<string, AttributeValue> | undefined;
  TableName: string | undefined;
  ProjectionExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
}
