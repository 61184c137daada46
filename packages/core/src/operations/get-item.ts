import type { AttributeValue } from "../attribute-value.ts";
import type { ConsumedCapacity, ReturnConsumedCapacity } from "./capacity.ts";

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
