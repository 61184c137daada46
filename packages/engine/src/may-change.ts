import { firstWord } from "./partiql/tokens.ts";

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
