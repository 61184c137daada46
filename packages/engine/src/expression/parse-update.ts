import { tagOf, type WireValue } from "../values/wire-value.ts";
import { type Binding, memoize, type Template } from "./binding.ts";
import { checkDistinct, checkOperandCount } from "./check-operands.ts";
import { checkDistinctPaths, parsePath, startsPath } from "./parse-path.ts";
import type { Path, SetValue, Update } from "./syntax-tree.ts";
import { ExpressionError, TokenReader } from "./tokens.ts";

type Section = "SET" | "REMOVE" | "ADD" | "DELETE";

const sections: readonly Section[] = ["SET", "REMOVE", "ADD", "DELETE"];

interface Parts {
  readonly set: { path: Template<Path>; value: Template<SetValue> }[];
  readonly remove: Template<Path>[];
  readonly add: { path: Template<Path>; value: Template<WireValue> }[];
  readonly delete: { path: Template<Path>; value: Template<WireValue> }[];
}

/** Parses an update expression. */
export const parseUpdate: (expression: string) => Template<Update> = memoize((expression) => {
  const reader = new TokenReader(expression);
  const parts: Parts = { set: [], remove: [], add: [], delete: [] };
  const seen = new Set<Section>();
  do {
    const section = sections.find((each) => reader.isKeyword(each));
    if (section === undefined) throw reader.syntaxError();
    const { start } = reader.take();
    if (seen.has(section)) {
      reader.noteError(start, `The "${section}" section can only be used once in an update expression;`);
    }
    seen.add(section);
    do parseAction(reader, section, parts);
    while (reader.skipSymbol(","));
  } while (reader.next.kind !== "end");
  reader.throwNotedError();
  const names = reader.textsOf("name");
  const values = reader.textsOf("value");
  return (binding) => {
    // DynamoDB reports errors in this order: placeholders, paths, operands of ADD and DELETE, functions.
    for (const name of names) binding.name(name);
    for (const value of values) binding.value(value);
    return bindUpdate(parts, binding);
  };
});

function bindUpdate(parts: Parts, binding: Binding): Update {
  const pathOf = ({ path }: { readonly path: Template<Path> }) => path(binding);
  const paths = {
    set: parts.set.map(pathOf),
    remove: parts.remove.map((path) => path(binding)),
    add: parts.add.map(pathOf),
    delete: parts.delete.map(pathOf),
  };
  checkDistinctPaths([...paths.set, ...paths.remove, ...paths.add, ...paths.delete]);
  const withPath =
    (at: readonly Path[]) =>
    <Value>({ value }: { readonly value: Template<Value> }, index: number) => ({
      path: at[index] as Path,
      value: value(binding),
    });
  const add = parts.add.map(withPath(paths.add));
  const take = parts.delete.map(withPath(paths.delete));
  return { set: parts.set.map(withPath(paths.set)), remove: paths.remove, add, delete: take };
}

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

/** DynamoDB spells out the types in these two messages. */
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
      throw new ExpressionError(
        `Incorrect operand type for operator or function; operator: ${operator}, operand type: ${typeWords[tag]}, typeSet: ALLOWED_FOR_${operator}_OPERAND`,
      );
    }
    return value;
  };
}

/** Parses a value for SET: an operand, a sum of two, or either of these in parentheses. */
function parseSetValue(reader: TokenReader): Template<SetValue> {
  return parseSum(reader).template;
}

/** What SET assigns, or a part of it. */
interface Part {
  readonly template: Template<SetValue>;
  readonly isSum: boolean;
  /** It is in parentheses. */
  readonly wrapped: boolean;
}

function parseSum(reader: TokenReader): Part {
  const left = reader.isSymbol("(")
    ? parseWrapped(reader)
    : plainPart(parseSetOperand(reader, "list_append"));
  // A sum has exactly two sides.
  if (left.isSum || !(reader.isSymbol("+") || reader.isSymbol("-"))) return left;
  const { text: operator } = reader.take();
  const kind = operator === "+" ? "plus" : "minus";
  const right = parseSetOperand(reader);
  const template: Template<SetValue> = (binding) => {
    const value = { kind, left: left.template(binding), right: right(binding) } as const;
    for (const side of [value.left, value.right]) requireType(side, "N", operator);
    return value;
  };
  return { template, isSum: true, wrapped: false };
}

function plainPart(template: Template<SetValue>): Part {
  return { template, isSum: false, wrapped: false };
}

function parseWrapped(reader: TokenReader): Part {
  reader.expectSymbol("(");
  const inner = parseSum(reader);
  reader.closeParenthesis(inner.wrapped);
  return { ...inner, wrapped: true };
}

/** `topLevel` names the function that is allowed only if this operand is the whole value. */
function parseSetOperand(reader: TokenReader, topLevel?: string): Template<SetValue> {
  if (reader.skipSymbol("(")) {
    const wrapped = reader.isSymbol("(");
    const inner = parseSetOperand(reader, topLevel);
    reader.closeParenthesis(wrapped);
    return inner;
  }
  if (reader.next.kind === "value") {
    const { text } = reader.take();
    return (binding) => ({ kind: "value", value: binding.value(text) });
  }
  if (reader.isCall()) return parseSetFunction(reader, topLevel);
  if (!startsPath(reader)) throw reader.syntaxError();
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

function parseSetFunction(reader: TokenReader, topLevel: string | undefined): Template<SetValue> {
  const { text: name, start } = reader.take();
  reader.expectSymbol("(");
  const operands = [parseSetOperand(reader)];
  while (reader.skipSymbol(",")) operands.push(parseSetOperand(reader));
  reader.expectSymbol(")");
  if (conditionFunctions.has(name)) {
    reader.noteError(start, `The function is not allowed in an update expression; function: ${name}`);
  } else if (name !== "if_not_exists" && name !== "list_append") {
    reader.noteError(start, `Invalid function name; function: ${name}`);
  } else if (name === "list_append" && (topLevel !== name || reader.isSymbol("+") || reader.isSymbol("-"))) {
    reader.noteError(
      start,
      `The function is not allowed to be used this way in an expression; function: ${name}`,
    );
  }
  return (binding) => {
    const values = operands.map((operand) => operand(binding));
    checkOperandCount(name, values.length, 2);
    return setFunction(name, values as [SetValue, SetValue]);
  };
}

function setFunction(name: string, [first, second]: readonly [SetValue, SetValue]): SetValue {
  if (name === "list_append") {
    for (const side of [first, second]) requireType(side, "L", name);
    return { kind: "list_append", left: first, right: second };
  }
  if (first.kind === "path") {
    checkDistinct(name, first, second);
    return { kind: "if_not_exists", path: first.path, otherwise: second };
  }
  throw new ExpressionError(`Operator or function requires a document path; operator or function: ${name}`);
}

/** Rejects a literal whose type cannot match; the type at a path is only known with the item. */
export function requireType(operand: SetValue, wanted: "N" | "L", operator: string): void {
  if (operand.kind !== "value" || tagOf(operand.value) === wanted) return;
  throw new ExpressionError(
    `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${tagOf(operand.value)}`,
  );
}
