import { type OperationName, operationTraits, statementsOf, tablesOf } from "@tablekeep/core";
import { parseStatement } from "../partiql/parse-statement.ts";

/** Returns the tables that a request names: of a transaction or of statements, one for each action or statement. */
export function requestTables(operation: OperationName, input: unknown): readonly string[] {
  const { tables, statements } = operationTraits[operation];
  if (statements !== undefined) return statementsOf(operation, input).map(tableOfStatement);
  if (tables !== "TransactItems") return tablesOf(operation, input);
  const { TransactItems: actions = [] } = input as { TransactItems?: readonly object[] };
  return actions.flatMap((action) =>
    Object.values(action).map(({ TableName }: { TableName: string }) => TableName),
  );
}

/** Returns no name for a statement that cannot be parsed: the operation itself rejects it. */
function tableOfStatement(statement: string): string {
  try {
    return parseStatement(statement).statement.table;
  } catch {
    return "";
  }
}

/** Returns whether an operation reads or writes items, by key or by PartiQL statement. */
export function isOnItems(operation: OperationName): boolean {
  const { on } = operationTraits[operation];
  return on === "items" || on === "statements";
}
