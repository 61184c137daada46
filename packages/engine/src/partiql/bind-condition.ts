import {
  checkOperandCount,
  checkOperands,
  checkSize,
  conditionFunctions,
  pathOnly,
} from "../expression/check-operands.ts";
import type { Condition, Operand } from "../expression/syntax-tree.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { asStatementErrors, bindValue, OperatorCount, type Parameters } from "./bind-value.ts";
import type { Expression } from "./statement.ts";
import { formatPosition, type TokenPosition } from "./statement-tokens.ts";

/** AWS: Limits — values of one IN. */
const maxInOperands = 100;

/** Converts a WHERE clause to a condition on items. */
export function bindCondition(where: Expression, parameters: Parameters): Condition {
  const binder = new ConditionBinder(parameters);
  return asStatementErrors(() =>
    binder.condition(where, "WHERE clause must contain an expression that resolves to a boolean"),
  );
}

type Call = Extract<Expression, { kind: "call" }>;

class ConditionBinder {
  readonly #parameters: Parameters;
  readonly #operators = new OperatorCount();

  constructor(parameters: Parameters) {
    this.#parameters = parameters;
  }

  /** `otherwise` is the message for an expression that is not a condition. */
  condition(expression: Expression, otherwise: string): Condition {
    this.#operators.add();
    switch (expression.kind) {
      case "and":
      case "or": {
        const side = (each: Expression) =>
          this.condition(each, "The arguments to AND/OR must be Expressions");
        return { kind: expression.kind, left: side(expression.left), right: side(expression.right) };
      }
      case "not": {
        const condition = this.condition(expression.operand, "The argument to NOT must be an Expression");
        return { kind: "not", condition };
      }
      case "compare": {
        const compared = this.#comparedCall(expression);
        if (compared !== undefined) return compared;
        const [left, right] = this.#operands(expression.left, expression.right) as [Operand, Operand];
        return checkOperands({ kind: "compare", comparator: expression.comparator, left, right });
      }
      case "between": {
        const { operand, low, high } = expression;
        const [first, second, third] = this.#operands(operand, low, high) as [Operand, Operand, Operand];
        return checkOperands({ kind: "between", operand: first, low: second, high: third });
      }
      case "in":
        return this.#in(expression.operand, expression.list);
      case "is":
        return this.#is(expression);
      case "call":
        return this.#call(expression);
      case "arithmetic":
        throw unsupported(expression.operator);
      default:
        throw invalid(otherwise);
    }
  }

  #operands(...expressions: readonly Expression[]): Operand[] {
    return expressions.map((expression) => this.#operand(expression));
  }

  #operand(expression: Expression): Operand {
    if (expression.kind === "path") return { kind: "path", path: expression.path };
    if (expression.kind === "call") return this.#size(expression);
    if (expression.kind === "arithmetic") throw unsupported(expression.operator);
    const value = bindValue(expression, this.#parameters);
    if (value !== undefined) return { kind: "value", value };
    throw invalid(`Unsupported operand in Condition Expression ${formatPosition(expression.position)}`);
  }

  /** A condition that is compared with a boolean: `attribute_exists(a) = true`. */
  #comparedCall({
    comparator,
    left,
    right,
  }: Extract<Expression, { kind: "compare" }>): Condition | undefined {
    const [call, other] = left.kind === "call" ? [left, right] : [right, left];
    if (comparator !== "=" || call.kind !== "call" || other.kind !== "boolean") return undefined;
    if (!Object.hasOwn(conditionFunctions, call.name)) return undefined;
    const condition = this.#call(call);
    return other.value ? condition : { kind: "not", condition };
  }

  #size({ name, operands, position }: Call): Operand {
    if (name !== "size") {
      throw Object.hasOwn(conditionFunctions, name) ? misusedFunction(name) : unknownFunction(name, position);
    }
    checkOperandCount(name, operands.length, 1);
    return checkSize(this.#operand(operands[0] as Expression));
  }

  #in(operand: Expression, list: Expression): Condition {
    const elements = list.kind === "list" || list.kind === "bag" ? list.elements : [];
    if (elements.length === 0) {
      throw invalid(
        "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member",
      );
    }
    if (elements.length > maxInOperands) {
      throw invalid(
        `The IN operator is provided with too many operands; number of operands: ${elements.length}`,
      );
    }
    return checkOperands({ kind: "in", operand: this.#operand(operand), list: this.#operands(...elements) });
  }

  #is({ operand, type }: Extract<Expression, { kind: "is" }>): Condition {
    const first = this.#operand(operand);
    if (type === "MISSING") {
      return { kind: "attribute_not_exists", path: pathOnly("attribute_not_exists", first) };
    }
    const tag = Object.hasOwn(typeTags, type) ? typeTags[type] : undefined;
    if (tag === undefined) {
      throw invalid(
        `Unsupported data type for IS operator: ${type}. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]`,
      );
    }
    const path = pathOnly("attribute_type", first);
    return {
      kind: "attribute_type",
      operand: { kind: "path", path },
      type: { kind: "value", value: { S: tag } },
    };
  }

  #call({ name, operands, position }: Call): Condition {
    const build = Object.hasOwn(conditionFunctions, name) ? conditionFunctions[name] : undefined;
    if (build === undefined) throw name === "size" ? misusedFunction(name) : unknownFunction(name, position);
    checkOperandCount(name, operands.length, build.operands);
    return checkOperands(build.condition(this.#operands(...operands)));
  }
}

const typeTags: Readonly<Record<string, string>> = {
  NULL: "NULL",
  BOOL: "BOOL",
  BOOLEAN: "BOOL",
  BLOB: "B",
  STRING: "S",
  NUMERIC: "N",
  STRUCT: "M",
  TUPLE: "M",
  LIST: "L",
};

function unsupported(operator: string): Error {
  return invalid(`Unsupported operator in Condition Expression. Operator: ${operator}`);
}

function misusedFunction(name: string): Error {
  return invalid(`The function is not allowed to be used this way in an expression; function: ${name}`);
}

const updateFunctions: ReadonlySet<string> = new Set(["if_not_exists", "list_append"]);

function unknownFunction(name: string, position: TokenPosition): Error {
  return invalid(
    updateFunctions.has(name)
      ? `The function is not allowed in a condition expression; function: ${name}`
      : `Unrecognized function: ${name} ${formatPosition(position)}`,
  );
}
