import type { Expression } from "./expression-tree.ts";
import { parsePath } from "./parse-path.ts";
import type { StatementReader } from "./statement-reader.ts";

/** Reads any expression: what stands inside a term. Passed in, because that reader needs this one. */
type Inner = (reader: StatementReader) => Expression;

/** Reads a literal, a parameter, a path, a function call, or anything in brackets. */
export function parseTerm(reader: StatementReader, inner: Inner): Expression {
  const { next } = reader;
  const { position } = next;
  switch (next.kind) {
    case "text":
    case "number":
      reader.take();
      return { kind: next.kind, text: next.text, position };
    case "ion":
      reader.take();
      return { kind: "ion", position };
    case "parameter":
      reader.take();
      return { kind: "parameter", index: reader.parameters++, position };
    case "quoted":
      return { kind: "path", path: parsePath(reader), position };
    case "word":
      if (reader.afterNext?.kind === "symbol" && reader.afterNext.text === "(")
        return parseCall(reader, inner);
      return { kind: "path", path: parsePath(reader), position };
    case "keyword":
      return parseKeywordTerm(reader, inner);
    case "symbol":
      return parseBracket(reader, inner);
    default:
      throw reader.unexpected();
  }
}

function parseKeywordTerm(reader: StatementReader, inner: Inner): Expression {
  const position = reader.next.position;
  switch (reader.next.text) {
    case "TRUE":
    case "FALSE":
      return { kind: "boolean", value: reader.take().text === "TRUE", position };
    case "NULL":
      reader.take();
      return { kind: "null", position };
    case "MISSING":
      reader.take();
      return { kind: "missing", position };
    case "SIZE":
      return parseCall(reader, inner);
    default:
      throw reader.unexpected();
  }
}

function parseCall(reader: StatementReader, inner: Inner): Expression {
  const name = reader.take();
  reader.expectSymbol("(");
  const operands = parseElements(reader, inner, ")");
  return { kind: "call", name: name.text.toLowerCase(), operands, position: name.position };
}

function parseBracket(reader: StatementReader, inner: Inner): Expression {
  const position = reader.next.position;
  if (reader.skipSymbol("[")) return { kind: "list", elements: parseElements(reader, inner, "]"), position };
  if (reader.skipSymbol("<<")) return { kind: "bag", elements: parseElements(reader, inner, ">>"), position };
  if (reader.skipSymbol("{")) return { kind: "struct", members: parseMembers(reader, inner), position };
  reader.expectSymbol("(");
  if (reader.isSymbol(")")) throw reader.unexpected();
  const [first, ...others] = parseElements(reader, inner, ")") as [Expression, ...Expression[]];
  // `(a)` is a; `(a, b)` is the list of both.
  return others.length === 0 ? first : { kind: "list", elements: [first, ...others], position };
}

/** Reads expressions with commas between them, and the bracket that ends them. */
export function parseElements(reader: StatementReader, inner: Inner, end: string): Expression[] {
  const elements: Expression[] = [];
  if (reader.skipSymbol(end)) return elements;
  do elements.push(inner(reader));
  while (reader.skipSymbol(","));
  reader.expectSymbol(end);
  return elements;
}

function parseMembers(reader: StatementReader, inner: Inner): [Expression, Expression][] {
  const members: [Expression, Expression][] = [];
  if (reader.skipSymbol("}")) return members;
  do {
    const name = inner(reader);
    reader.expectSymbol(":");
    members.push([name, inner(reader)]);
  } while (reader.skipSymbol(","));
  reader.expectSymbol("}");
  return members;
}
