import { checkOperandCount, conditionFunctions } from "../expression/check-operands.ts";
import { checkDistinctPaths } from "../expression/parse-path.ts";
import { requireType } from "../expression/parse-update.ts";
import { type Path, type SetValue, type Update, updatePaths } from "../expression/syntax-tree.ts";
import { invalid } from "../values/dynamo-errors.ts";
import type { WireValue } from "../values/wire-value.ts";
import { asStatementErrors, bindValue, isSet, OperatorCount, type Parameters } from "./bind-value.ts";
import type { Assignment, Expression, UpdateStatement } from "./statement.ts";
import { formatPosition } from "./statement-tokens.ts";

/** Converts SET and REMOVE to an update. `set_add` and `set_delete` become ADD and DELETE. */
export function bindUpdate({ set, remove }: UpdateStatement, parameters: Parameters): Update {
  const binder = new UpdateBinder(parameters);
  return asStatementErrors(() => {
    for (const assignment of set) binder.assign(assignment);
    const update = { set: binder.set, remove, add: binder.add, delete: binder.delete };
    checkDistinctPaths(updatePaths(update));
    return update;
  });
}

class UpdateBinder {
  readonly set: { path: Path; value: SetValue }[] = [];
  readonly add: { path: Path; value: WireValue }[] = [];
  readonly delete: { path: Path; value: WireValue }[] = [];
  readonly #parameters: Parameters;
  readonly #operators = new OperatorCount();

  constructor(parameters: Parameters) {
    this.#parameters = parameters;
  }

  assign({ path, value }: Assignment): void {
    if (value.kind === "call" && value.name === "set_add") {
      this.add.push({ path, value: this.#elements(path, value) });
    } else if (value.kind === "call" && value.name === "set_delete") {
      this.delete.push({ path, value: this.#elements(path, value) });
    } else {
      this.set.push({ path, value: this.#value(value) });
    }
  }

  /** Returns the elements that `SET a = set_add(a, …)` adds. */
  #elements(path: Path, { name, operands, position }: Extract<Expression, { kind: "call" }>): WireValue {
    this.#operators.add();
    const shown = name.toUpperCase();
    const [target, elements, ...others] = operands;
    if (target === undefined || elements === undefined || others.length > 0) {
      throw invalid(`${shown} must have exactly two arguments ${formatPosition(position)}`);
    }
    if (target.kind !== "path" || JSON.stringify(target.path) !== JSON.stringify(path)) {
      throw invalid(
        `The first argument to ${shown} must equal the assignment value ${formatPosition(position)}`,
      );
    }
    const value = bindValue(elements, this.#parameters);
    if (value === undefined || !isSet(value)) {
      // The position is that of the first argument.
      throw invalid(
        `The second argument to ${shown} must be a value with type SET ${formatPosition(target.position)}`,
      );
    }
    return value;
  }

  #value(expression: Expression): SetValue {
    switch (expression.kind) {
      case "path":
        return { kind: "path", path: expression.path };
      case "call":
        return this.#call(expression);
      case "arithmetic":
        return this.#arithmetic(expression);
      default: {
        const value = bindValue(expression, this.#parameters);
        if (value !== undefined) return { kind: "value", value };
        throw invalid(`Unsupported expression in Update Expression ${formatPosition(expression.position)}`);
      }
    }
  }

  #arithmetic({ operator, left, right }: Extract<Expression, { kind: "arithmetic" }>): SetValue {
    this.#operators.add();
    if (operator !== "+" && operator !== "-") {
      throw invalid(`Unsupported operator in Update Expression. Operator: ${operator}`);
    }
    checkOperandCount(operator, right === undefined ? 1 : 2, 2);
    const sides = [this.#value(left), this.#value(right as Expression)] as const;
    for (const side of sides) requireType(side, "N", operator);
    return { kind: operator === "+" ? "plus" : "minus", left: sides[0], right: sides[1] };
  }

  #call({ name, operands, position }: Extract<Expression, { kind: "call" }>): SetValue {
    this.#operators.add();
    if (name !== "list_append" && name !== "if_not_exists") {
      throw invalid(
        usedElsewhere.has(name)
          ? `The function is not allowed in an update expression; function: ${name}`
          : `Unrecognized function: ${name} ${formatPosition(position)}`,
      );
    }
    checkOperandCount(name, operands.length, 2);
    const [first, second] = operands.map((operand) => this.#value(operand)) as [SetValue, SetValue];
    if (name === "list_append") {
      for (const side of [first, second]) requireType(side, "L", name);
      return { kind: "list_append", left: first, right: second };
    }
    if (first.kind !== "path") {
      throw invalid(`Operator or function requires a document path; operator or function: ${name}`);
    }
    return { kind: "if_not_exists", path: first.path, otherwise: second };
  }
}

const usedElsewhere: ReadonlySet<string> = new Set([
  ...Object.keys(conditionFunctions),
  "set_add",
  "set_delete",
  "size",
]);
