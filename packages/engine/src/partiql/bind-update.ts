import { checkOperandCount } from "../expression/condition-functions.ts";
import { requireType } from "../expression/parse-update.ts";
import { checkDistinctPaths } from "../expression/path-overlap.ts";
import type { Path, SetValue, Update } from "../expression/syntax-tree.ts";
import { updatePaths } from "../expression/update-paths.ts";
import { invalid } from "../item/refuse.ts";
import type { WireValue } from "../item/wire-value.ts";
import { bindValue, isSet, type Parameters } from "./bind-value.ts";
import type { Expression } from "./expression-tree.ts";
import { withPlainFaults } from "./plain-fault.ts";
import type { UpdateStatement } from "./statement.ts";
import { shownPosition } from "./statement-fault.ts";

type Change = { readonly path: Path; readonly value: WireValue };

/** Turns SET and REMOVE into an update. `set_add` and `set_delete` are its ADD and DELETE. */
export function bindUpdate({ set, remove }: UpdateStatement, parameters: Parameters): Update {
  return withPlainFaults(() => {
    const update = {
      set: [] as { path: Path; value: SetValue }[],
      remove,
      add: [] as Change[],
      delete: [] as Change[],
    };
    for (const { path, value } of set) {
      if (value.kind !== "call" || (value.name !== "set_add" && value.name !== "set_delete")) {
        update.set.push({ path, value: bindSetValue(value, parameters) });
        continue;
      }
      const elements = bindSetChange(path, value.name, value.operands, parameters);
      update[value.name === "set_add" ? "add" : "delete"].push({ path, value: elements });
    }
    checkDistinctPaths(updatePaths(update));
    return update;
  });
}

/** The elements that `SET a = set_add(a, …)` adds. */
function bindSetChange(
  path: Path,
  name: string,
  operands: readonly Expression[],
  parameters: Parameters,
): WireValue {
  checkOperandCount(name, operands.length, 2);
  const [target, elements] = operands as [Expression, Expression];
  if (target.kind !== "path" || JSON.stringify(target.path) !== JSON.stringify(path)) {
    throw invalid(`The first argument to ${name.toUpperCase()} must equal the assignment value`);
  }
  const value = bindValue(elements, parameters);
  if (value === undefined || !isSet(value)) {
    throw invalid(`The second argument to ${name.toUpperCase()} must be a value with type SET`);
  }
  return value;
}

function bindSetValue(expression: Expression, parameters: Parameters): SetValue {
  switch (expression.kind) {
    case "path":
      return { kind: "path", path: expression.path };
    case "call":
      return bindCall(expression.name, expression.operands, parameters);
    case "arithmetic":
      return bindArithmetic(expression, parameters);
    default: {
      const value = bindValue(expression, parameters);
      if (value !== undefined) return { kind: "value", value };
      throw invalid(`Unsupported expression in Update Expression ${shownPosition(expression.position)}`);
    }
  }
}

function bindArithmetic(
  { operator, left, right }: Extract<Expression, { kind: "arithmetic" }>,
  parameters: Parameters,
): SetValue {
  if (operator !== "+" && operator !== "-") {
    throw invalid(`Unsupported operator in Update Expression. Operator: ${operator}`);
  }
  if (right === undefined) {
    throw invalid(
      `Incorrect number of operands for operator or function; operator or function: ${operator}, number of operands: 1`,
    );
  }
  const sides = [bindSetValue(left, parameters), bindSetValue(right, parameters)] as const;
  for (const side of sides) requireType(side, "N", operator);
  return { kind: operator === "+" ? "plus" : "minus", left: sides[0], right: sides[1] };
}

function bindCall(name: string, operands: readonly Expression[], parameters: Parameters): SetValue {
  if (name !== "list_append" && name !== "if_not_exists") {
    throw invalid(
      knownElsewhere.has(name)
        ? `The function is not allowed in an update expression; function: ${name}`
        : `Unrecognized function: ${name}`,
    );
  }
  checkOperandCount(name, operands.length, 2);
  const [first, second] = operands.map((operand) => bindSetValue(operand, parameters)) as [
    SetValue,
    SetValue,
  ];
  if (name === "list_append") {
    for (const side of [first, second]) requireType(side, "L", name);
    return { kind: "list_append", left: first, right: second };
  }
  if (first.kind !== "path") {
    throw invalid(`Operator or function requires a document path; operator or function: ${name}`);
  }
  return { kind: "if_not_exists", path: first.path, otherwise: second };
}

const knownElsewhere: ReadonlySet<string> = new Set([
  "attribute_exists",
  "attribute_not_exists",
  "attribute_type",
  "begins_with",
  "contains",
  "set_add",
  "set_delete",
  "size",
]);
