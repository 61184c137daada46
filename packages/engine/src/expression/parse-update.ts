import { tagOf, type WireValue } from "../item/wire-value.ts";
import { parsePath, startsPath } from "./parse-path.ts";
import { checkDistinctPaths } from "./path-overlap.ts";
import type { Path, SetValue, Update } from "./syntax-tree.ts";
import { cached, type Template } from "./template.ts";
import { ExpressionFault, TokenReader } from "./token-reader.ts";
import { updatePaths } from "./update-paths.ts";

type Section = "SET" | "REMOVE" | "ADD" | "DELETE";

const sections: readonly Section[] = ["SET", "REMOVE", "ADD", "DELETE"];

interface Parts {
  readonly set: { path: Template<Path>; value: Template<SetValue> }[];
  readonly remove: Template<Path>[];
  readonly add: { path: Template<Path>; value: Template<WireValue> }[];
  readonly delete: { path: Template<Path>; value: Template<WireValue> }[];
}

/** Parses an update expression. */
export const parseUpdate: (expression: string) => Template<Update> = cached((expression) => {
  const reader = new TokenReader(expression);
  const parts: Parts = { set: [], remove: [], add: [], delete: [] };
  const seen = new Set<Section>();
  do {
    const section = sections.find((each) => reader.isKeyword(each));
    if (section === undefined) throw reader.syntaxError();
    if (seen.has(section)) {
      throw new ExpressionFault(`The "${section}" section can only be used once in an update expression;`);
    }
    seen.add(section);
    reader.take();
    do parseAction(reader, section, parts);
    while (reader.skipSymbol(","));
  } while (reader.next.kind !== "end");
  return (binding) => {
    const update: Update = {
      set: parts.set.map(({ path, value }) => ({ path: path(binding), value: value(binding) })),
      remove: parts.remove.map((path) => path(binding)),
      add: parts.add.map(({ path, value }) => ({ path: path(binding), value: value(binding) })),
      delete: parts.delete.map(({ path, value }) => ({ path: path(binding), value: value(binding) })),
    };
    checkDistinctPaths(updatePaths(update));
    return update;
  };
});

function parseAction(reader: TokenReader, section: Section, parts: Parts): void {
  if (!startsPath(reader)) throw reader.syntaxError();
  const path = parsePath(reader);
  switch (section) {
    case "SET":
      reader.expectSymbol("=");
      parts.set.push({ path, value: parseSetValue(reader) });
      break;
    case "REMOVE":
      parts.remove.push(path);
      break;
    case "ADD":
      parts.add.push({ path, value: parseLiteral(reader, "ADD", ["N", "SS", "NS", "BS"]) });
      break;
    case "DELETE":
      parts.delete.push({ path, value: parseLiteral(reader, "DELETE", ["SS", "NS", "BS"]) });
      break;
  }
}

/** DynamoDB spells types out in these two messages. */
const typeWords: Readonly<Record<string, string>> = {
  S: "STRING",
  N: "NUMBER",
  B: "BINARY",
  SS: "STRING_SET",
  NS: "NUMBER_SET",
  BS: "BINARY_SET",
  M: "MAP",
  L: "LIST",
  NULL: "NULL",
  BOOL: "BOOLEAN",
};

function parseLiteral(
  reader: TokenReader,
  operator: string,
  allowed: readonly string[],
): Template<WireValue> {
  if (reader.next.kind !== "value") throw reader.syntaxError();
  const { text } = reader.take();
  return (binding) => {
    const value = binding.value(text);
    const tag = tagOf(value);
    if (!allowed.includes(tag)) {
      throw new ExpressionFault(
        `Incorrect operand type for operator or function; operator: ${operator}, operand type: ${typeWords[tag]}, typeSet: ALLOWED_FOR_${operator}_OPERAND`,
      );
    }
    return value;
  };
}

function parseSetValue(reader: TokenReader): Template<SetValue> {
  const left = parseSetOperand(reader);
  const kind = reader.isSymbol("+") ? "plus" : reader.isSymbol("-") ? "minus" : undefined;
  if (kind === undefined) return left;
  const operator = reader.take().text;
  const right = parseSetOperand(reader);
  return (binding) => {
    const value = { kind, left: left(binding), right: right(binding) } as const;
    for (const side of [value.left, value.right]) requireType(side, "N", operator);
    return value;
  };
}

function parseSetOperand(reader: TokenReader): Template<SetValue> {
  if (reader.skipSymbol("(")) {
    const inner = parseSetValue(reader);
    reader.expectSymbol(")");
    return inner;
  }
  if (reader.next.kind === "value") {
    const { text } = reader.take();
    return (binding) => ({ kind: "value", value: binding.value(text) });
  }
  if (!startsPath(reader)) throw reader.syntaxError();
  if (reader.next.kind === "word" && reader.afterNext?.text === "(") return parseSetFunction(reader);
  const path = parsePath(reader);
  return (binding) => ({ kind: "path", path: path(binding) });
}

const conditionFunctions: ReadonlySet<string> = new Set([
  "attribute_exists",
  "attribute_not_exists",
  "attribute_type",
  "begins_with",
  "contains",
  "size",
]);

function parseSetFunction(reader: TokenReader): Template<SetValue> {
  const name = reader.take().text;
  reader.expectSymbol("(");
  const operands = [parseSetValue(reader)];
  while (reader.skipSymbol(",")) operands.push(parseSetValue(reader));
  reader.expectSymbol(")");
  if (name !== "if_not_exists" && name !== "list_append") {
    throw new ExpressionFault(
      conditionFunctions.has(name)
        ? `The function is not allowed in an update expression; function: ${name}`
        : `Invalid function name; function: ${name}`,
    );
  }
  const [first, second] = operands;
  if (first === undefined || second === undefined || operands.length !== 2) {
    throw new ExpressionFault(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${operands.length}`,
    );
  }
  if (name === "list_append") {
    return (binding) => {
      const value = { kind: "list_append", left: first(binding), right: second(binding) } as const;
      for (const side of [value.left, value.right]) requireType(side, "L", name);
      return value;
    };
  }
  return (binding) => {
    const target = first(binding);
    if (target.kind !== "path") {
      throw new ExpressionFault(
        `Operator or function requires a document path; operator or function: ${name}`,
      );
    }
    return { kind: "if_not_exists", path: target.path, otherwise: second(binding) };
  };
}

/** Refuses a literal that can never fit; what a path leads to is only known with the item. */
export function requireType(operand: SetValue, wanted: "N" | "L", operator: string): void {
  if (operand.kind !== "value" || tagOf(operand.value) === wanted) return;
  throw new ExpressionFault(
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${tagOf(operand.value)}`,
  );
}
