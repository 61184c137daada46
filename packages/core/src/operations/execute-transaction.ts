import type { AttributeValue } from "../attribute-value.ts";
import type { ConsumedCapacity, ReturnConsumedCapacity } from "./capacity.ts";
import type { ItemResponse, ReturnValuesOnConditionCheckFailure } from "./item-shapes.ts";

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
