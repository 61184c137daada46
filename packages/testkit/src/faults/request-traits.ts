import type {
  BatchExecuteStatementInput,
  BatchGetItemInput,
  BatchWriteItemInput,
  ExecuteStatementInput,
  ExecuteTransactionInput,
  OperationName,
  TransactGetItemsInput,
  TransactWriteItemsInput,
} from "@tablekeep/core";

const reads: ReadonlySet<OperationName> = new Set<OperationName>([
  "GetItem",
  "Query",
  "Scan",
  "BatchGetItem",
  "TransactGetItems",
  "DescribeTable",
  "ListTables",
  "DescribeTimeToLive",
  "ListTagsOfResource",
  "DescribeLimits",
  "DescribeEndpoints",
  "ListStreams",
  "DescribeStream",
  "GetShardIterator",
  "GetRecords",
]);

const transactions: ReadonlySet<OperationName> = new Set<OperationName>([
  "TransactGetItems",
  "TransactWriteItems",
  "ExecuteTransaction",
]);

/** Whether a request may change something. */
export function isWrite(operation: OperationName, input: object): boolean {
  const statements = statementsOf(operation, input);
  if (statements.length > 0) return !statements.every((statement) => /^\s*select\b/i.test(statement));
  return !reads.has(operation);
}

/** Whether a request is a transaction, in DynamoDB's own form or as statements. */
export function isTransaction(operation: OperationName): boolean {
  return transactions.has(operation);
}

/** The number of actions of a transaction. */
export function actionCount(operation: OperationName, input: object): number {
  if (operation === "ExecuteTransaction") return statementsOf(operation, input).length;
  return (input as TransactGetItemsInput | TransactWriteItemsInput).TransactItems?.length ?? 0;
}

/** The tables that a request names. Those inside of statements are not looked for. */
export function tablesOf(operation: OperationName, input: object): string[] {
  if (operation === "BatchGetItem" || operation === "BatchWriteItem") {
    return Object.keys((input as BatchGetItemInput | BatchWriteItemInput).RequestItems ?? {});
  }
  if (operation === "TransactGetItems" || operation === "TransactWriteItems") {
    const actions = (input as { TransactItems?: object[] }).TransactItems ?? [];
    const named = actions.flatMap(
      (action) => Object.values(action) as ({ TableName?: string } | undefined)[],
    );
    return [...new Set(named.flatMap((each) => each?.TableName ?? []))];
  }
  const { TableName } = input as { TableName?: string };
  return TableName === undefined ? [] : [TableName];
}

function statementsOf(operation: OperationName, input: object): string[] {
  switch (operation) {
    case "ExecuteStatement":
      return [(input as ExecuteStatementInput).Statement ?? ""];
    case "BatchExecuteStatement":
      return ((input as BatchExecuteStatementInput).Statements ?? []).map((each) => each.Statement ?? "");
    case "ExecuteTransaction":
      return ((input as ExecuteTransactionInput).TransactStatements ?? []).map(
        (each) => each.Statement ?? "",
      );
    default:
      return [];
  }
}
