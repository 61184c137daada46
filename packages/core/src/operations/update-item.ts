import type { AttributeValue } from "../attribute-value.ts";
import type {
  ConsumedCapacity,
  ItemCollectionMetrics,
  ReturnConsumedCapacity,
  ReturnItemCollectionMetrics,
} from "./capacity.ts";
import type { ReturnValue, ReturnValuesOnConditionCheckFailure } from "./item-shapes.ts";
import type {
  AttributeValueUpdate,
  ConditionalOperator,
  ExpectedAttributeValue,
} from "./legacy-conditions.ts";

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
