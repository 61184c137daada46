/** The shapes of requests with PartiQL statements. Enum values are in the order of DynamoDB's messages. */
import {
  boolean,
  list,
  type Members,
  number,
  oneOf,
  optional,
  required,
  structure,
  text,
  value,
} from "./shape.ts";

/** AWS: API_ExecuteStatement — the length of a statement. */
const maxStatementLength = 8192;

const returnConsumedCapacity = optional(oneOf("INDEXES", "TOTAL", "NONE"));

const statement: Members = {
  Statement: required(text({ min: 1, max: maxStatementLength })),
  Parameters: optional(list(value, 1)),
  ReturnValuesOnConditionCheckFailure: optional(oneOf("ALL_OLD", "NONE")),
};

export const statementShapes: { readonly [operation: string]: Members } = {
  ExecuteStatement: {
    ...statement,
    ConsistentRead: optional(boolean),
    NextToken: optional(text({ min: 1, max: 32_768 })),
    ReturnConsumedCapacity: returnConsumedCapacity,
    Limit: optional(number(1)),
  },
  BatchExecuteStatement: {
    Statements: required(list(structure({ ...statement, ConsistentRead: optional(boolean) }), 1, 25)),
    ReturnConsumedCapacity: returnConsumedCapacity,
  },
  ExecuteTransaction: {
    TransactStatements: required(list(structure(statement), 1, 100)),
    ClientRequestToken: optional(text({ min: 1, max: 36 })),
    ReturnConsumedCapacity: returnConsumedCapacity,
  },
};
