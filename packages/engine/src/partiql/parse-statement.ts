import { memoize } from "../expression/binding.ts";
import { checkDistinctPaths } from "../expression/parse-path.ts";
import type { Path } from "../expression/syntax-tree.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { asStatementErrors } from "./bind-value.ts";
import { parseExpression, parseName, parseStatementPath } from "./parse-expression.ts";
import type {
  Assignment,
  DeleteStatement,
  InsertStatement,
  Order,
  ParsedStatement,
  Returning,
  Selection,
  SelectStatement,
  Statement,
  UpdateStatement,
} from "./statement.ts";
import { formatPosition, leftoverToken, malformedStatement, StatementReader } from "./statement-tokens.ts";

/** Longer statements are not cached: they are rare, and their trees are large. */
const maxCachedLength = 1000;

/** Parses a statement. Throws DynamoDB's error if it is invalid. */
export function parseStatement(text: string): ParsedStatement {
  return text.length > maxCachedLength ? parse(text) : parseCached(text);
}

const parseCached: typeof parse = memoize(parse);

function parse(text: string): ParsedStatement {
  const reader = new StatementReader(text);
  const statement = parseAny(reader);
  reader.expectEnd();
  return { statement, parameters: reader.parameters };
}

function parseAny(reader: StatementReader): Statement {
  if (reader.skipKeyword("SELECT")) return parseSelect(reader);
  if (reader.skipKeyword("INSERT")) return parseInsert(reader);
  if (reader.skipKeyword("UPDATE")) return parseUpdate(reader);
  if (reader.skipKeyword("DELETE")) return parseDelete(reader);
  if (reader.skipKeyword("FROM")) return parseFromUpdate(reader);
  if (!reader.skipKeyword("EXISTS")) throw malformedStatement("Expected data manipulation");
  reader.expectSymbol("(");
  reader.expectKeyword("SELECT");
  const select = parseSelect(reader);
  reader.expectSymbol(")");
  return { kind: "exists", table: select.table, select };
}

/** Parses what follows SELECT. */
function parseSelect(reader: StatementReader): SelectStatement {
  if (reader.isKeyword("DISTINCT") || reader.isKeyword("ALL")) {
    throw invalid(`Unsupported token in expression: ${reader.next.text}`);
  }
  if (reader.isKeyword("VALUE") || reader.isKeyword("PIVOT")) {
    throw invalid("Select projection doesn't support value or pivot keywords");
  }
  const paths = reader.skipSymbol("*") ? undefined : parsePaths(reader);
  reader.expectKeyword("FROM");
  const source = parseSource(reader, "Unexpected term");
  rejectAlias(reader);
  if (reader.isSymbol(",") || joins.some((word) => reader.isKeyword(word))) {
    throw invalid("Only select from a single table or index is supported.");
  }
  const where = reader.skipKeyword("WHERE") ? parseExpression(reader) : undefined;
  const order = reader.isKeyword("ORDER") ? parseOrder(reader) : [];
  const clause = clauses.find((word) => reader.isKeyword(word));
  if (clause !== undefined) throw unsupportedClause(reader, clause);
  return { kind: "select", ...source, selection: paths && selectionOf(paths), where, order };
}

const joins = ["JOIN", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"];
const clauses = ["LIMIT", "GROUP", "HAVING"];
const aggregates = ["COUNT", "SUM", "AVG", "MIN", "MAX"];

/** DynamoDB's error for LIMIT has the position of the number. */
function unsupportedClause(reader: StatementReader, clause: string): Error {
  if (clause !== "LIMIT") return invalid(`Unsupported clause: ${clause === "GROUP" ? "GROUP BY" : clause}`);
  reader.take();
  return invalid(`Unsupported clause: LIMIT ${formatPosition(parseExpression(reader).position)}`);
}

/** Throws for `COUNT(*)` and the like, whose names are keywords. */
function rejectAggregate(reader: StatementReader): void {
  if (!aggregates.some((word) => reader.isKeyword(word))) return;
  const { position } = reader.next;
  const error = reader.syntaxError();
  reader.take();
  throw reader.isSymbol("(") ? invalid(`Unexpected path component ${formatPosition(position)}`) : error;
}

function parsePaths(reader: StatementReader): Path[] {
  const paths: Path[] = [];
  do {
    rejectAggregate(reader);
    const selected = parseExpression(reader);
    if (selected.kind !== "path") {
      throw invalid(`Unexpected path component ${formatPosition(selected.position)}`);
    }
    rejectAlias(reader);
    paths.push(selected.path);
  } while (reader.skipSymbol(","));
  return paths;
}

function parseOrder(reader: StatementReader): Order[] {
  reader.expectKeyword("ORDER");
  reader.expectKeyword("BY");
  const order: Order[] = [];
  do {
    const key = parseExpression(reader);
    if (key.kind !== "path" || key.path.length > 1) {
      const type = key.kind === "number" ? key.text : key.kind.toUpperCase();
      throw invalid(`Argument to ORDER BY must be of type VariableReference. Type: ${type}`);
    }
    const descending = reader.skipKeyword("DESC");
    if (!descending) reader.skipKeyword("ASC");
    order.push({ name: key.path[0], descending });
  } while (reader.skipSymbol(","));
  return order;
}

/** Names the selected paths: by their last part, including list indexes: `m.x[0]` is `x[0]`. */
function selectionOf(paths: readonly Path[]): Selection {
  const selection = paths.map((path) => ({ path, name: lastName(path) }));
  const names = new Set<string>();
  for (const { name } of selection) {
    if (names.has(name)) throw invalid(`Duplicate identifiers in select clause: ${name}`);
    names.add(name);
  }
  asStatementErrors(() => checkDistinctPaths(paths));
  return selection;
}

function lastName(path: Path): string {
  let at = path.length - 1;
  while (typeof path[at] === "number") at--;
  return (
    path[at] +
    path
      .slice(at + 1)
      .map((index) => `[${index}]`)
      .join("")
  );
}

/** Parses what follows INSERT. */
function parseInsert(reader: StatementReader): InsertStatement {
  reader.expectKeyword("INTO");
  const { table, index } = parseSource(reader);
  if (index !== undefined) {
    throw invalid("FROM clause may only contain a single table name in data manipulation statements");
  }
  if (isAlias(reader)) throw leftoverToken();
  reader.expectKeyword("VALUE");
  const item = parseExpression(reader);
  if (reader.isKeyword("RETURNING")) throw invalid("RETURNING is not supported in INSERT");
  if (reader.isKeyword("ON")) throw invalid("Unsupported clause: ON CONFLICT");
  return { kind: "insert", table, item };
}

/** Parses what follows UPDATE. */
function parseUpdate(reader: StatementReader): UpdateStatement {
  const table = parseTable(reader);
  return { kind: "update", table, ...parseChanges(reader), ...parseWhere(reader) };
}

/** Parses what follows FROM in the other form of UPDATE: `FROM t WHERE pk = 'a' SET b = 1`. */
function parseFromUpdate(reader: StatementReader): UpdateStatement {
  const table = parseTable(reader);
  const where = reader.skipKeyword("WHERE") ? parseExpression(reader) : undefined;
  return { kind: "update", table, ...parseChanges(reader), where, returning: parseReturning(reader) };
}

/** Parses SET and REMOVE, as often as they follow each other. */
function parseChanges(reader: StatementReader): Pick<UpdateStatement, "set" | "remove"> {
  const set: Assignment[] = [];
  const remove: Path[] = [];
  do {
    if (reader.skipKeyword("REMOVE")) {
      remove.push(parseStatementPath(reader));
    } else {
      reader.expectKeyword("SET");
      do set.push(parseAssignment(reader));
      while (reader.skipSymbol(","));
    }
  } while (reader.isKeyword("SET") || reader.isKeyword("REMOVE"));
  return { set, remove };
}

/** Parses what follows DELETE. */
function parseDelete(reader: StatementReader): DeleteStatement {
  reader.expectKeyword("FROM");
  const table = parseTable(reader, "Expected identifier for simple path");
  const { where, returning } = parseWhere(reader);
  if (returning !== undefined && returning !== "ALL OLD") {
    throw invalid(
      `Invalid returning clause: RETURNING ${returning} *. Only RETURNING ALL OLD * is allowed in DELETE statements.`,
    );
  }
  return { kind: "delete", table, where, returning };
}

function parseTable(reader: StatementReader, whenMissing?: string): string {
  const { table, index } = parseSource(reader, whenMissing);
  rejectAlias(reader);
  if (index !== undefined) throw invalid("This operation is not supported on an index");
  return table;
}

function parseAssignment(reader: StatementReader): Assignment {
  const path = parseStatementPath(reader);
  reader.expectSymbol("=");
  return { path, value: parseExpression(reader) };
}

function parseWhere(reader: StatementReader): Pick<UpdateStatement, "where" | "returning"> {
  const where = reader.skipKeyword("WHERE") ? parseExpression(reader) : undefined;
  return { where, returning: parseReturning(reader) };
}

function parseReturning(reader: StatementReader): Returning | undefined {
  if (!reader.skipKeyword("RETURNING")) return undefined;
  const extent = reader.skipKeyword("MODIFIED") ? "MODIFIED" : "ALL";
  if (extent === "ALL") reader.expectKeyword("ALL");
  const time = reader.skipKeyword("OLD") ? "OLD" : "NEW";
  if (time === "NEW") reader.expectKeyword("NEW");
  if (reader.next.kind === "word" || reader.next.kind === "quoted") {
    throw invalid("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause");
  }
  reader.expectSymbol("*");
  if (reader.isSymbol(",")) {
    throw invalid("Invalid syntax with multiple returning elements in RETURNING clause");
  }
  return `${extent} ${time}`;
}

/** Parses the table of a statement, and the index if it names one: `"table"."index"`. `whenMissing`: the error for neither. */
function parseSource(
  reader: StatementReader,
  whenMissing?: string,
): { table: string; index: string | undefined } {
  const { kind } = reader.next;
  if (kind === "text" || kind === "parameter" || reader.isSymbol("("))
    throw invalid("Unexpected from source");
  if (whenMissing !== undefined && kind !== "word" && kind !== "quoted")
    throw malformedStatement(whenMissing);
  const table = parseName(reader);
  const index = reader.skipSymbol(".") ? parseName(reader) : undefined;
  if (reader.isSymbol(".")) throw invalid("A path may contain at most 2 components in the FROM clause");
  return { table, index };
}

function isAlias(reader: StatementReader): boolean {
  return reader.isKeyword("AS") || reader.next.kind === "word" || reader.next.kind === "quoted";
}

function rejectAlias(reader: StatementReader): void {
  if (isAlias(reader)) throw invalid("Aliasing is not supported");
}
