import type { Path } from "../expression/syntax-tree.ts";
import { invalid } from "../item/refuse.ts";
import { parseExpression } from "./parse-expression.ts";
import { parsePath } from "./parse-path.ts";
import { parseSource } from "./parse-source.ts";
import type {
  Assignment,
  DeleteStatement,
  InsertStatement,
  Returning,
  UpdateStatement,
} from "./statement.ts";
import type { StatementReader } from "./statement-reader.ts";

/** Reads what follows INSERT. */
export function parseInsert(reader: StatementReader): InsertStatement {
  reader.expectKeyword("INTO");
  const { table, index } = parseSource(reader);
  if (index !== undefined) {
    throw invalid("FROM clause may only contain a single table name in data manipulation statements");
  }
  reader.expectKeyword("VALUE");
  const item = parseExpression(reader);
  if (reader.isKeyword("RETURNING")) throw invalid("RETURNING is not supported in INSERT");
  if (reader.isKeyword("ON")) throw invalid("Unsupported clause: ON CONFLICT");
  return { kind: "insert", table, item };
}

/** Reads what follows UPDATE. */
export function parseUpdate(reader: StatementReader): UpdateStatement {
  const table = parseTable(reader);
  const set: Assignment[] = [];
  const remove: Path[] = [];
  do {
    if (reader.skipKeyword("REMOVE")) {
      remove.push(parsePath(reader));
    } else {
      reader.expectKeyword("SET");
      do set.push(parseAssignment(reader));
      while (reader.skipSymbol(","));
    }
  } while (reader.isKeyword("SET") || reader.isKeyword("REMOVE"));
  return { kind: "update", table, set, remove, ...parseWhere(reader) };
}

/** Reads what follows DELETE. */
export function parseDelete(reader: StatementReader): DeleteStatement {
  reader.expectKeyword("FROM");
  const table = parseTable(reader);
  const { where, returning } = parseWhere(reader);
  if (returning !== undefined && returning !== "ALL OLD") {
    throw invalid(
      `Invalid returning clause: RETURNING ${returning} *. Only RETURNING ALL OLD * is allowed in DELETE statements.`,
    );
  }
  return { kind: "delete", table, where, returning };
}

function parseTable(reader: StatementReader): string {
  const { table, index } = parseSource(reader);
  if (index !== undefined) throw invalid("This operation is not supported on an index");
  return table;
}

function parseAssignment(reader: StatementReader): Assignment {
  const path = parsePath(reader);
  reader.expectSymbol("=");
  return { path, value: parseExpression(reader) };
}

function parseWhere(reader: StatementReader): Pick<UpdateStatement, "where" | "returning"> {
  const where = reader.skipKeyword("WHERE") ? parseExpression(reader) : undefined;
  return { where, returning: reader.skipKeyword("RETURNING") ? parseReturning(reader) : undefined };
}

function parseReturning(reader: StatementReader): Returning {
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
