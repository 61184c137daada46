import type { AttributeValue } from "../values/attribute-value.ts";
import type {
  ConsumedCapacity,
  ItemResponse,
  ReturnConsumedCapacity,
  ReturnValuesOnConditionCheckFailure,
} from "./items.ts";

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

export interface ExecuteTransactionInput {
  TransactStatements: ParameterizedStatement[] | undefined;
  ClientRequestToken?: string | undefined;
  ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

export interface ExecuteTransactionOutput {
  Responses?: ItemResponse[] | undefined;
  ConsumedCapacity?: ConsumedCapacity[] | undefined;
}

export interface ParameterizedStatement {
  Statement: string | undefined;
  Parameters?: AttributeValue[] | undefined;
  ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure | undefined;
}
