import { checkValue } from "../values/check-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import type { Parameters } from "./bind-value.ts";
import { parseStatement } from "./parse-statement.ts";
import type { ParsedStatement, Statement } from "./statement.ts";

/** A statement and its parameters as in a request. */
interface StatementRequest {
  readonly Statement: string | undefined;
  readonly Parameters?: readonly unknown[];
}

/** A statement with its parameters. */
export interface BoundStatement<Kind extends Statement = Statement> {
  readonly statement: Kind;
  readonly parameters: Parameters;
}

const tableNamePattern = /^[a-zA-Z0-9_.-]{3,255}$/;
const tableNameMessage =
  "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.";

/** Parses a statement and checks its parameters. */
export function bindStatement(request: StatementRequest): BoundStatement {
  return bindParameters(readStatement(request), request);
}

/** Parses a statement. */
export function readStatement({ Statement: text }: StatementRequest): ParsedStatement {
  const parsed = parseStatement(text ?? "");
  // AWS: DynamoDB API operations supported by resource-based policies — statements do not accept ARNs.
  if (!tableNamePattern.test(parsed.statement.table)) throw invalid(tableNameMessage);
  return parsed;
}

/** Checks the parameters of a statement. More of them than it uses are allowed. */
export function bindParameters(
  { statement, parameters: wanted }: ParsedStatement,
  { Parameters: given = [] }: StatementRequest,
): BoundStatement {
  if (given.length < wanted) throw invalid("Number of parameters in request and statement don't match.");
  return { statement, parameters: given.map(checkValue) };
}
