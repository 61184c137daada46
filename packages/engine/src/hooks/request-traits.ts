import type { OperationName } from "@tablekeep/core";
import { parseStatement } from "../partiql/parse-statement.ts";
import type { Statement } from "../partiql/statement.ts";

/** Operations that read items. */
const reads: ReadonlySet<string> = new Set<OperationName>([
  "GetItem",
  "BatchGetItem",
  "TransactGetItems",
  "Query",
  "Scan",
]);

/** Operations that write items. */
const writes: ReadonlySet<string> = new Set<OperationName>([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
]);

/** Operations that do what their statements say. */
const statements: ReadonlySet<string> = new Set<OperationName>([
  "ExecuteStatement",
  "BatchExecuteStatement",
  "ExecuteTransaction",
]);

/** Whether an operation reads or writes items. */
export function isOnItems(operation: string): boolean {
  return reads.has(operation) || writes.has(operation) || statements.has(operation);
}

/** Whether a request only reads items. */
export function isRead(operation: string, input: unknown): boolean {
  if (!statements.has(operation)) return reads.has(operation);
  const all = statementsIn(input);
  return all.length > 0 && all.every((statement) => statement?.kind === "select");
}

/** The tables that a request names, once for each place in which it names one. */
export function tablesIn(input: unknown): string[] {
  const { TableName, RequestItems, TransactItems } = input as Record<string, unknown>;
  if (typeof TableName === "string") return [TableName];
  if (typeof RequestItems === "object" && RequestItems !== null) return Object.keys(RequestItems);
  if (!Array.isArray(TransactItems)) return statementsIn(input).map((statement) => statement?.table ?? "");
  return TransactItems.flatMap((action: object) =>
    Object.values(action).flatMap((each) => tablesIn(each ?? {})),
  );
}

/** The statements of a request; undefined for one that cannot be understood, which will be told elsewhere. */
function statementsIn(input: unknown): (Statement | undefined)[] {
  const { Statement: only, Statements, TransactStatements } = input as Record<string, unknown>;
  const texts = typeof only === "string" ? [{ Statement: only }] : (Statements ?? TransactStatements ?? []);
  return (texts as { Statement: string }[]).map(({ Statement: text }) => {
    try {
      return parseStatement(text).statement;
    } catch {
      return undefined;
    }
  });
}
