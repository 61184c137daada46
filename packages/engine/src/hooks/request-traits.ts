import type { OperationName } from "@tablekeep/core";

/** Operations that read items. */
export const itemReads: ReadonlySet<string> = new Set<OperationName>([
  "GetItem",
  "BatchGetItem",
  "TransactGetItems",
  "Query",
  "Scan",
]);

/** Operations that write items, or may do so. */
export const itemWrites: ReadonlySet<string> = new Set<OperationName>([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
  "ExecuteStatement",
  "BatchExecuteStatement",
  "ExecuteTransaction",
]);

/** The tables that a request names, once for each place in which it names one. Statements name none here. */
export function tablesIn(input: unknown): string[] {
  const { TableName, RequestItems, TransactItems } = input as Record<string, unknown>;
  if (typeof TableName === "string") return [TableName];
  if (typeof RequestItems === "object" && RequestItems !== null) return Object.keys(RequestItems);
  if (!Array.isArray(TransactItems)) return [];
  return TransactItems.flatMap((action: object) =>
    Object.values(action).flatMap((each) => tablesIn(each ?? {})),
  );
}
