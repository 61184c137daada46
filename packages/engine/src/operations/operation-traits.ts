import type { OperationName } from "@tablekeep/core";
import { parseStatement } from "../partiql/parse-statement.ts";
import type { Statement } from "../partiql/statement.ts";
import { firstWord } from "../partiql/tokens.ts";

/** The names of the operations that change something, or may do so: items, tables, expiry, tags. */
const changes = /^(Put|Update|Delete|Create|Tag|Untag|BatchWrite|TransactWrite|Execute|BatchExecute)/;

/** Whether a request may change something. One of PartiQL statements does so unless each of them is a SELECT. */
export function mayChange(operation: string, input: unknown): boolean {
  if (!changes.test(operation)) return false;
  const { Statement, Statements, TransactStatements } = (input ?? {}) as Record<string, unknown>;
  switch (operation) {
    case "ExecuteStatement":
      return !isSelect(Statement);
    case "BatchExecuteStatement":
      return !areSelects(Statements);
    case "ExecuteTransaction":
      return !areSelects(TransactStatements);
    default:
      return true;
  }
}

function areSelects(requests: unknown): boolean {
  return (
    Array.isArray(requests) &&
    requests.every((request) => isSelect((request as { Statement?: unknown } | null)?.Statement))
  );
}

/** Whether a text begins as a SELECT does, whatever spaces and comments stand before it. */
export function isSelect(statement: unknown): boolean {
  return typeof statement === "string" && firstWord(statement) === "SELECT";
}

const largeReadOperations: ReadonlySet<string> = new Set(["Query", "Scan", "BatchGetItem"]);

/** Whether a request reads what may be much. A statement that writes is none: its commit is shared with others. */
export function isLarge(operation: string, input: unknown): boolean {
  if (operation !== "ExecuteStatement") return largeReadOperations.has(operation);
  const { Statement } = (input ?? {}) as { Statement?: unknown };
  return isSelect(Statement);
}

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
