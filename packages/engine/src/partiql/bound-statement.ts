import { checkValue } from "../item/check-item.ts";
import { invalid } from "../item/refuse.ts";
import type { Parameters } from "./bind-value.ts";
import { parseStatement } from "./parse-statement.ts";
import type { Statement } from "./statement.ts";

/** A statement and its parameters as they come in a request. */
export interface StatementRequest {
  readonly Statement: string | undefined;
  readonly Parameters?: readonly unknown[] | undefined;
}

/** A statement with its parameters at hand. */
export interface BoundStatement<Kind extends Statement = Statement> {
  readonly statement: Kind;
  readonly parameters: Parameters;
}

/** Parses a statement and checks its parameters. There may be more of them than it uses. */
export function boundStatement({
  Statement: text,
  Parameters: given = [],
}: StatementRequest): BoundStatement {
  const { statement, parameters: wanted } = parseStatement(text ?? "");
  if (given.length < wanted) throw invalid("Number of parameters in request and statement don't match.");
  return { statement, parameters: given.map(checkValue) };
}
