import type { Path } from "../expression/syntax-tree.ts";
import { invalid } from "../item/refuse.ts";
import { parseExpression } from "./parse-expression.ts";
import { parseSource } from "./parse-source.ts";
import { selectionOf } from "./selection.ts";
import type { Order, SelectStatement } from "./statement.ts";
import { shownPosition } from "./statement-fault.ts";
import type { StatementReader } from "./statement-reader.ts";

/** Reads what follows SELECT. */
export function parseSelect(reader: StatementReader): SelectStatement {
  if (reader.isKeyword("DISTINCT") || reader.isKeyword("ALL")) {
    throw invalid(`Unsupported token in expression: ${reader.next.text}`);
  }
  if (reader.isKeyword("VALUE") || reader.isKeyword("PIVOT")) {
    throw invalid("Select projection doesn't support value or pivot keywords");
  }
  const paths = reader.skipSymbol("*") ? undefined : parsePaths(reader);
  reader.expectKeyword("FROM");
  const source = parseSource(reader);
  if (reader.isSymbol(",") || joins.some((word) => reader.isKeyword(word))) {
    throw invalid("Only select from a single table or index is supported.");
  }
  const where = reader.skipKeyword("WHERE") ? parseExpression(reader) : undefined;
  const order = reader.isKeyword("ORDER") ? parseOrder(reader) : [];
  const clause = clauses.find((word) => reader.isKeyword(word));
  if (clause !== undefined) throw invalid(`Unsupported clause: ${clause === "GROUP" ? "GROUP BY" : clause}`);
  return { kind: "select", ...source, selection: paths && selectionOf(paths), where, order };
}

const joins = ["JOIN", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"];
const clauses = ["LIMIT", "GROUP", "HAVING"];

function parsePaths(reader: StatementReader): Path[] {
  const paths: Path[] = [];
  do {
    const selected = parseExpression(reader);
    if (selected.kind !== "path") {
      throw invalid(`Unexpected path component ${shownPosition(selected.position)}`);
    }
    if (reader.isKeyword("AS") || reader.next.kind === "word" || reader.next.kind === "quoted") {
      throw invalid("Aliasing is not supported");
    }
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
