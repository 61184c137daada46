import type { AttributeValue } from "../attribute-value.ts";
import type { ConsumedCapacity, ReturnConsumedCapacity } from "./capacity.ts";
import type { ReturnValuesOnConditionCheckFailure } from "./item-shapes.ts";

export interface ExecuteStatementInput {
  Statement: string | undefined;
  Parameters?: AttributeValue[] | undefined;
  ConsistentRead?: boolean | undefined;
  NextToken?: string | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
  Limit?: number | undefined;
  ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure | undefined;
}

export interface ExecuteStatementOutput {
  Items?: Record<string, AttributeValue>[] | undefined;
  NextToken?: string | undefined;
  ConsumedCapacity?: ConsumedCapacity | undefined;
  LastEvaluatedKey?: Record<string, AttributeValue> | undefined;
}
