import type { WireValue } from "../values/wire-value.ts";

/** A place in an item: an attribute's name, then map keys and list indexes. */
export type Path = readonly [string, ...PathPart[]];
export type PathPart = string | number;

/** An operand of a condition. */
export type Operand =
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "value"; readonly value: WireValue }
  | { readonly kind: "size"; readonly path: Path };

export type Comparator = "=" | "<>" | "<" | "<=" | ">" | ">=";

/** A condition with all placeholders resolved. Legacy parameters become the same tree. */
export type Condition =
  | {
      readonly kind: "compare";
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: "between"; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: "in"; readonly operand: Operand; readonly list: readonly Operand[] }
  | { readonly kind: "attribute_exists" | "attribute_not_exists"; readonly path: Path }
  | { readonly kind: "attribute_type"; readonly operand: Operand; readonly type: Operand }
  | { readonly kind: "begins_with"; readonly operand: Operand; readonly prefix: Operand }
  | { readonly kind: "contains"; readonly operand: Operand; readonly sought: Operand }
  | { readonly kind: "and" | "or"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "not"; readonly condition: Condition };

/** What SET assigns. */
export type SetValue =
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "value"; readonly value: WireValue }
  | { readonly kind: "if_not_exists"; readonly path: Path; readonly otherwise: SetValue }
  | { readonly kind: "list_append"; readonly left: SetValue; readonly right: SetValue }
  | { readonly kind: "plus" | "minus"; readonly left: SetValue; readonly right: SetValue };

/** An update with all placeholders resolved. */
export interface Update {
  /** It came as AttributeUpdates, for which DynamoDB has other messages. */
  readonly legacy?: boolean;
  readonly set: readonly { readonly path: Path; readonly value: SetValue }[];
  readonly remove: readonly Path[];
  readonly add: readonly { readonly path: Path; readonly value: WireValue }[];
  readonly delete: readonly { readonly path: Path; readonly value: WireValue }[];
}

/** The paths that a projection keeps. */
export type ProjectedPaths = readonly Path[];

/** Returns every path that an update names. */
export function updatePaths(update: Update): Path[] {
  const assigned = [...update.set, ...update.add, ...update.delete].map(({ path }) => path);
  return [...assigned, ...update.remove];
}

/** Returns every path that an update reads to compute what it assigns. */
export function updateSources({ set }: Update): Path[] {
  return set.flatMap(({ value }) => valueSources(value));
}

function valueSources(value: SetValue): Path[] {
  switch (value.kind) {
    case "value":
      return [];
    case "path":
      return [value.path];
    case "if_not_exists":
      return [value.path, ...valueSources(value.otherwise)];
    default:
      return [...valueSources(value.left), ...valueSources(value.right)];
  }
}

/** Returns every path that a condition reads. */
export function conditionPaths(condition: Condition): Path[] {
  switch (condition.kind) {
    case "and":
    case "or":
      return [...conditionPaths(condition.left), ...conditionPaths(condition.right)];
    case "not":
      return conditionPaths(condition.condition);
    case "attribute_exists":
    case "attribute_not_exists":
      return [condition.path];
    case "attribute_type":
      return operandPaths(condition.operand, condition.type);
    case "compare":
      return operandPaths(condition.left, condition.right);
    case "between":
      return operandPaths(condition.operand, condition.low, condition.high);
    case "in":
      return operandPaths(condition.operand, ...condition.list);
    case "begins_with":
      return operandPaths(condition.operand, condition.prefix);
    case "contains":
      return operandPaths(condition.operand, condition.sought);
  }
}

function operandPaths(...operands: readonly Operand[]): Path[] {
  return operands.flatMap((operand) => (operand.kind === "value" ? [] : [operand.path]));
}
