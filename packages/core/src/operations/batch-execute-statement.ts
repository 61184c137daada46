import type { AttributeValue } from "../attribute-value.ts";
import type { ConsumedCapacity, ReturnConsumedCapacity } from "./capacity.ts";
import type { ReturnValuesOnConditionCheckFailure } from "./item-shapes.ts";

export interface BatchExecuteStatementInput {
  Statements: BatchStatementRequest[] | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface BatchExecuteStatementOutput {
  Responses?: BatchStatementResponse[] | undefined;
  ConsumedCapacity?: ConsumedCapacity[] | undefined;
}

export interface BatchStatementRequest {
  Statement: string | undefined;
  Parameters?: AttributeValue[] | undefined;
  ConsistentRead?: boolean | undefined;
  ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure | undefined;
}

export interface BatchStatementResponse {
  Error?: BatchStatementError | undefined;
  TableName?: string | undefined;
  Item?: Record<string, AttributeValue> | undefined;
}

export interface BatchStatementError {
  Code?: BatchStatementErrorCodeEnum | undefined;
  Message?: string | undefined;
  Item?: Record<string, AttributeValue> | undefined;
}

export type BatchStatementErrorCodeEnum =
  | "ConditionalCheckFailed"
  | "ItemCollectionSizeLimitExceeded"
  | "RequestLimitExceeded"
  | "ValidationError"
  | "ProvisionedThroughputExceeded"
  | "TransactionConflict"
  | "ThrottlingError"
  | "InternalServerError"
  | "ResourceNotFound"
  | "AccessDenied"
  | "DuplicateItem";
