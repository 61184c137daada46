import type { CallOptions, InputOf, OperationName } from "@tablekeep/core";

/**
 * What sending a request does, and so what sending it again would do:
 *
 * - `read`: it changes nothing. Its fate is never in doubt, it may be sent any number of times.
 * - `repeatable`: a write whose second copy leaves what the first one left, unless another client wrote in between. The AWS
 *   SDKs resend it too. A caller's `idempotent: false` turns it into `once`.
 * - `tokened`: a transaction that DynamoDB recognises by its token, so that it is applied once, for a limited time.
 * - `once`: a write that may do harm when it is applied twice.
 */
export type CallEffect = "read" | "repeatable" | "tokened" | "once";

const effects: Record<OperationName, CallEffect> = {
  GetItem: "read",
  PutItem: "repeatable",
  UpdateItem: "once",
  DeleteItem: "repeatable",
  Query: "read",
  Scan: "read",
  BatchGetItem: "read",
  BatchWriteItem: "repeatable",
  TransactGetItems: "read",
  TransactWriteItems: "tokened",
  ExecuteStatement: "once",
  BatchExecuteStatement: "once",
  ExecuteTransaction: "tokened",
  CreateTable: "once",
  UpdateTable: "once",
  DescribeTable: "read",
  DeleteTable: "once",
  ListTables: "read",
  UpdateTimeToLive: "once",
  DescribeTimeToLive: "read",
  TagResource: "repeatable",
  UntagResource: "repeatable",
  ListTagsOfResource: "read",
  DescribeLimits: "read",
  DescribeEndpoints: "read",
  ListStreams: "read",
  DescribeStream: "read",
  GetShardIterator: "read",
  GetRecords: "read",
};

/** The effect of sending this request. A caller's `idempotent` overrides what the operation alone says of a write. */
export function callEffect<Name extends OperationName>(
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions = {},
): CallEffect {
  const effect = onlySelects(operation, input) ? "read" : effects[operation];
  if (effect === "read" || options.idempotent === undefined) return effect;
  if (options.idempotent) return "repeatable";
  return effect === "repeatable" ? "once" : effect;
}

/** Whether all PartiQL statements of a request are plain reads; in doubt they are not. */
function onlySelects(operation: OperationName, input: unknown): boolean {
  switch (operation) {
    case "ExecuteStatement":
      return isSelect(input as InputOf<"ExecuteStatement">);
    case "BatchExecuteStatement":
      return (input as InputOf<"BatchExecuteStatement">).Statements?.every(isSelect) ?? false;
    case "ExecuteTransaction":
      return (input as InputOf<"ExecuteTransaction">).TransactStatements?.every(isSelect) ?? false;
    default:
      return false;
  }
}

function isSelect(statement: { Statement: string | undefined }): boolean {
  return typeof statement.Statement === "string" && /^\s*select\s/i.test(statement.Statement);
}
