import { checkName, checkValue } from "../values/check-item.ts";
import { compareValues } from "../values/compare-values.ts";
import { invalid, invalidParameter } from "../values/dynamo-errors.ts";
import { tagOf, type WireValue } from "../values/wire-value.ts";
import type {
  Comparator,
  Condition,
  Operand,
  Path,
  ProjectedPaths,
  SetValue,
  Update,
} from "./syntax-tree.ts";

/** One entry of Expected, KeyConditions, QueryFilter or ScanFilter. */
interface LegacyCondition {
  readonly Value?: unknown;
  readonly Exists?: boolean;
  readonly ComparisonOperator?: string;
  readonly AttributeValueList?: readonly unknown[];
}

/** Conditions come from Expected, whose errors are more detailed, or from a filter or key condition. */
type LegacyKind = "expectation" | "filter";

/** Converts conditions of the older form to the tree that an expression parses to. */
export function legacyConditions(
  conditions: unknown,
  operator: string | undefined,
  kind: LegacyKind,
): Condition | undefined {
  if (conditions === undefined) return undefined;
  const all = Object.entries(conditions as Record<string, LegacyCondition>).map(([name, condition]) => {
    checkName(name);
    return conditionOn(name, condition, kind);
  });
  return all.length === 0 ? undefined : joinAll(operator === "OR" ? "or" : "and", all);
}

/** Joins conditions to a balanced tree. There may be thousands, and each level of it takes a part of the stack. */
function joinAll(kind: "and" | "or", all: readonly Condition[]): Condition {
  if (all.length === 1) return all[0] as Condition;
  const middle = all.length >> 1;
  return { kind, left: joinAll(kind, all.slice(0, middle)), right: joinAll(kind, all.slice(middle)) };
}

const indexable: ReadonlySet<string> = new Set(["EQ", "LE", "LT", "GE", "GT", "BEGINS_WITH", "BETWEEN"]);

/** Throws for a key condition that no index supports. */
export function checkIndexable(conditions: unknown): void {
  for (const { ComparisonOperator = "" } of Object.values(
    (conditions ?? {}) as Record<string, LegacyCondition>,
  )) {
    if (!indexable.has(ComparisonOperator)) {
      throw invalid("Attempted conditional constraint is not an indexable operation");
    }
  }
}

function conditionOn(name: string, condition: LegacyCondition, kind: LegacyKind): Condition {
  if (condition.Value !== undefined && condition.AttributeValueList !== undefined) {
    throw invalidParameter(`Value and AttributeValueList cannot be used together for Attribute: ${name}`);
  }
  if (condition.ComparisonOperator !== undefined) return comparison(name, condition, kind);
  return expectation(name, condition);
}

/** The oldest form: a value that must be present, or no value at all. */
function expectation(name: string, { Value, Exists, AttributeValueList }: LegacyCondition): Condition {
  if (AttributeValueList !== undefined) {
    throw invalidParameter(
      `AttributeValueList can only be used with a ComparisonOperator for Attribute: ${name}`,
    );
  }
  if (Exists === false) {
    if (Value !== undefined) {
      throw invalidParameter(`Value cannot be used when Exists is false for Attribute: ${name}`);
    }
    return { kind: "attribute_not_exists", path: [name] };
  }
  if (Value === undefined) {
    throw invalidParameter(
      Exists === undefined
        ? `Value must be provided when Exists is null for Attribute: ${name}`
        : `Value must be provided when Exists is true for Attribute: ${name}`,
    );
  }
  return compare("=", [name], checkValue(Value));
}

const comparators: Readonly<Record<string, Comparator>> = {
  EQ: "=",
  NE: "<>",
  LE: "<=",
  LT: "<",
  GE: ">=",
  GT: ">",
};

function comparison(name: string, condition: LegacyCondition, kind: LegacyKind): Condition {
  const { ComparisonOperator = "", Exists, Value } = condition;
  if (Exists !== undefined) {
    throw invalidParameter(`Exists and ComparisonOperator cannot be used together for Attribute: ${name}`);
  }
  const given = condition.AttributeValueList ?? (Value === undefined ? undefined : [Value]);
  const takesNone = ComparisonOperator === "NULL" || ComparisonOperator === "NOT_NULL";
  if (given === undefined && kind === "expectation" && !takesNone) {
    throw invalidParameter(
      `Value or AttributeValueList must be used with ComparisonOperator: ${ComparisonOperator} for Attribute: ${name}`,
    );
  }
  const values = (given ?? []).map(checkValue);
  checkCount(ComparisonOperator, values.length);
  checkTypes(ComparisonOperator, values);
  return build(ComparisonOperator, [name], values);
}

function build(operator: string, path: Path, values: readonly WireValue[]): Condition {
  const [first, second] = values as [WireValue, WireValue];
  const operand: Operand = { kind: "path", path };
  const comparator = comparators[operator];
  if (comparator !== undefined) return compare(comparator, path, first);
  switch (operator) {
    case "NULL":
      return { kind: "attribute_not_exists", path };
    case "NOT_NULL":
      return { kind: "attribute_exists", path };
    case "IN":
      return { kind: "in", operand, list: values.map((value) => ({ kind: "value", value })) };
    case "BETWEEN":
      return {
        kind: "between",
        operand,
        low: { kind: "value", value: first },
        high: { kind: "value", value: second },
      };
    case "BEGINS_WITH":
      return { kind: "begins_with", operand, prefix: { kind: "value", value: first } };
    case "CONTAINS":
      return { kind: "contains", operand, sought: { kind: "value", value: first } };
    default:
      return notContains(path, first);
  }
}

/** NOT_CONTAINS, unlike the negation of contains, requires the attribute to be present. */
function notContains(path: Path, value: WireValue): Condition {
  const contains: Condition = {
    kind: "contains",
    operand: { kind: "path", path },
    sought: { kind: "value", value },
  };
  return {
    kind: "and",
    left: { kind: "attribute_exists", path },
    right: { kind: "not", condition: contains },
  };
}

function compare(comparator: Comparator, path: Path, value: WireValue): Condition {
  return { kind: "compare", comparator, left: { kind: "path", path }, right: { kind: "value", value } };
}

function checkCount(operator: string, actual: number): void {
  const fits =
    operator === "NULL" || operator === "NOT_NULL"
      ? actual === 0
      : operator === "BETWEEN"
        ? actual === 2
        : operator === "IN"
          ? actual > 0
          : actual === 1;
  if (!fits) throw invalidParameter(`Invalid number of argument(s) for the ${operator} ComparisonOperator`);
}

const scalars: readonly string[] = ["S", "N", "B"];
const allowedTypes: Readonly<Record<string, readonly string[]>> = {
  LT: scalars,
  LE: scalars,
  GT: scalars,
  GE: scalars,
  BETWEEN: scalars,
  IN: scalars,
  BEGINS_WITH: ["S", "B"],
  CONTAINS: [...scalars, "BOOL", "NULL"],
  NOT_CONTAINS: [...scalars, "BOOL", "NULL"],
};

function checkTypes(operator: string, values: readonly WireValue[]): void {
  const allowed = allowedTypes[operator];
  const [first, second] = values;
  for (const value of values) {
    const tag = tagOf(value);
    if (allowed !== undefined && !allowed.includes(tag)) {
      throw invalidParameter(`ComparisonOperator ${operator} is not valid for ${tag} AttributeValue type`);
    }
    if (first !== undefined && tag !== tagOf(first)) {
      throw invalidParameter("AttributeValues inside AttributeValueList must be of same type");
    }
  }
  if (operator !== "BETWEEN" || first === undefined || second === undefined) return;
  if ((compareValues(first, second) ?? 0) > 0) {
    throw invalid(
      "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
    );
  }
}

interface AttributeUpdate {
  readonly Action?: string;
  readonly Value?: unknown;
}

const setTags: readonly string[] = ["SS", "NS", "BS"];

/** Converts an update of the older form to the tree that an expression parses to. */
export function attributeUpdates(updates: unknown): Update | undefined {
  if (updates === undefined) return undefined;
  const set: { path: Path; value: SetValue }[] = [];
  const remove: Path[] = [];
  const add: { path: Path; value: WireValue }[] = [];
  const take: { path: Path; value: WireValue }[] = [];
  for (const [name, { Action = "PUT", Value }] of Object.entries(
    updates as Record<string, AttributeUpdate>,
  )) {
    checkName(name);
    const path: Path = [name];
    const value = Value === undefined ? undefined : checkValue(Value);
    if (Action === "DELETE" && value === undefined) remove.push(path);
    else if (value === undefined) {
      throw invalidParameter(`Only DELETE action is allowed when no attribute value is specified`);
    } else if (Action === "PUT") set.push({ path, value: { kind: "value", value } });
    else if (Action === "DELETE") take.push({ path, value: checkSet(value) });
    else add.push({ path, value: checkAddend(value) });
  }
  return { set, remove, add, delete: take, legacy: true };
}

/** ADD also appends to a list, unlike ADD in an expression. */
function checkAddend(value: WireValue): WireValue {
  const tag = tagOf(value);
  if (tag === "N" || tag === "L" || setTags.includes(tag)) return value;
  throw invalidParameter(`ADD action is not supported for the type ${typeName(tag)}`);
}

function checkSet(value: WireValue): WireValue {
  const tag = tagOf(value);
  if (!setTags.includes(tag))
    throw invalidParameter(`DELETE action with value is not supported for the type ${typeName(tag)}`);
  return value;
}

const typeNames: Readonly<Record<string, string>> = {
  S: "STRING",
  N: "NUMBER",
  B: "BINARY",
  BOOL: "BOOLEAN",
  NULL: "NULL",
  M: "MAP",
  L: "LIST",
};

function typeName(tag: string): string {
  return typeNames[tag] ?? tag;
}

/** Converts a projection of the older form: names of attributes, never paths. */
export function attributesToGet(names: unknown): ProjectedPaths | undefined {
  if (names === undefined) return undefined;
  const seen = new Set<string>();
  return (names as readonly string[]).map((name) => {
    checkName(name);
    if (seen.has(name)) throw invalidParameter(`Duplicate value in attribute name: ${name}`);
    seen.add(name);
    return [name];
  });
}
