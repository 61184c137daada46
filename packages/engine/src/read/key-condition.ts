import { checkKeyValueSize, emptyIndexKeyError, emptyValueMessage } from "../catalog/check-keys.ts";
import type { IndexModel, KeyAttribute, KeyModel, TableModel } from "../catalog/table-model.ts";
import type { Comparator, Condition, Operand } from "../expression/syntax-tree.ts";
import { compareValues } from "../values/compare-values.ts";
import { invalid, invalidParameter } from "../values/dynamo-errors.ts";
import { contentOf, setOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";

/** The part of a partition to read. */
export interface KeyCondition {
  /** The values of the partition key attributes. */
  readonly partition: WireItem;
  /** Sort key attributes that must be equal; more than one only in an index with several. */
  readonly equalRange: readonly { readonly attribute: KeyAttribute; readonly value: WireValue }[];
  /** A condition on the sort key attribute after those. */
  readonly range: RangeCondition | undefined;
}

export type RangeCondition =
  | {
      readonly kind: "<" | "<=" | ">" | ">=" | "begins_with";
      readonly attribute: KeyAttribute;
      readonly value: WireValue;
    }
  | {
      readonly kind: "between";
      readonly attribute: KeyAttribute;
      readonly value: WireValue;
      readonly high: WireValue;
    };

/** One condition on one attribute. */
interface Part {
  readonly name: string;
  readonly kind: "=" | RangeCondition["kind"];
  readonly value: WireValue;
  readonly high?: WireValue;
}

/** The conditions that make up a key condition, by attribute name. */
type KeyConditionParts = Map<string, Part>;

/** Splits a key condition into its parts. Throws for anything that no table supports. */
export function keyConditionParts(condition: Condition): KeyConditionParts {
  const parts: KeyConditionParts = new Map();
  for (const part of conjuncts(condition).map(partOf)) {
    if (parts.has(part.name)) {
      throw invalid(
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key",
      );
    }
    parts.set(part.name, part);
  }
  return parts;
}

/** Throws if an expression has conditions on more attributes than the keys of a table or index have. */
export function checkConditionCount({ keys }: KeyModel, { size }: KeyConditionParts): void {
  if (size <= keys.length) return;
  throw invalid(
    `The number of query conditions (${size}) exceeds the number of key attributes defined in the schema (${keys.length})`,
  );
}

/** Resolves a key condition against the keys of a table or index. */
export function resolveKeyCondition(
  table: TableModel,
  index: IndexModel | undefined,
  given: KeyConditionParts,
): KeyCondition {
  const keys: KeyModel = index ?? table;
  const parts = new Map(given);
  const partition: Record<string, WireValue> = {};
  if (keys.hash.length > 1 || keys.range.length > 1) checkManyKeys(keys, parts);
  for (const attribute of keys.hash) {
    const part = parts.get(attribute.name);
    if (part === undefined) throw invalid(`Query condition missed key schema element: ${attribute.name}`);
    if (part.kind !== "=") throw invalid("Query key condition not supported");
    checkType(attribute, part.value);
    checkNotEmpty(index, attribute, part.value);
    checkKeyValueSize("HASH", part.value);
    setOwn(partition, attribute.name, part.value);
    parts.delete(attribute.name);
  }
  const { equalRange, range } = sortConditions(keys, index, parts);
  if (parts.size > 0) throw missedOrUnsupported(keys);
  return { partition, equalRange, range };
}

/** AWS: Multi-attribute keys — equality on the whole partition key, and on every sort key before the last one named. */
function checkManyKeys({ hash, range }: KeyModel, parts: ReadonlyMap<string, Part>): void {
  const unequal = (attributes: readonly KeyAttribute[]) =>
    attributes.map(({ name }) => name).filter((name) => parts.get(name)?.kind !== "=");
  const loose = unequal(hash);
  if (loose.length > 0) {
    throw invalid(
      `HASH key attributes ${loose.join(", ")} must have equality conditions specified in the query`,
    );
  }
  // Sort keys without any condition are reported before those without an equality, with the next one that has a condition.
  const isNamed = ({ name }: KeyAttribute) => parts.has(name);
  const gapAt = range.findIndex((attribute) => !isNamed(attribute));
  const afterGap = gapAt < 0 ? -1 : range.findIndex((attribute, at) => at > gapAt && isNamed(attribute));
  const end = afterGap < 0 ? range.findLastIndex(isNamed) : afterGap;
  const gaps = unequal(range.slice(afterGap < 0 ? 0 : gapAt, Math.max(0, end)));
  if (gaps.length === 0) return;
  throw invalid(
    `RANGE key attributes ${gaps.join(", ")} must have equality conditions specified in the query because a condition ` +
      `is present on key attribute ${range[end]?.name}`,
  );
}

/** Removes the conditions on sort key attributes, in order, from `parts`. */
function sortConditions(
  keys: KeyModel,
  index: IndexModel | undefined,
  parts: Map<string, Part>,
): Omit<KeyCondition, "partition"> {
  const equalRange: { attribute: KeyAttribute; value: WireValue }[] = [];
  for (const attribute of keys.range) {
    const part = parts.get(attribute.name);
    if (part === undefined) break;
    checkType(attribute, part.value);
    checkNotEmpty(index, attribute, part.value);
    if (part.high !== undefined) checkNotEmpty(index, attribute, part.high);
    checkKeyValueSize("RANGE", part.value);
    parts.delete(attribute.name);
    if (part.kind !== "=") return { equalRange, range: rangeOf(attribute, part) };
    equalRange.push({ attribute, value: part.value });
  }
  return { equalRange, range: undefined };
}

function rangeOf(attribute: KeyAttribute, part: Part): RangeCondition {
  if (part.kind === "between" && part.high !== undefined) {
    checkType(attribute, part.high);
    checkKeyValueSize("RANGE", part.high);
    if ((compareValues(part.value, part.high) ?? 0) > 0) throw invertedBounds(part.value, part.high);
    return { kind: "between", attribute, value: part.value, high: part.high };
  }
  if (part.kind === "begins_with" && attribute.type === "N")
    throw invalid("Query key condition not supported");
  return { kind: part.kind as "<", attribute, value: part.value };
}

function missedOrUnsupported(keys: KeyModel): Error {
  const range = keys.range[0];
  return range === undefined
    ? invalid("Query key condition not supported")
    : invalid(`Query condition missed key schema element: ${range.name}`);
}

function conjuncts(condition: Condition): Condition[] {
  return condition.kind === "and"
    ? [...conjuncts(condition.left), ...conjuncts(condition.right)]
    : [condition];
}

const mirroredComparators: Partial<Record<Comparator, Comparator>> = {
  "=": "=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

function partOf(condition: Condition): Part {
  switch (condition.kind) {
    case "compare":
      return comparisonPart(condition.comparator, condition.left, condition.right);
    case "between": {
      const { operand, low, high } = condition;
      const name = firstName("BETWEEN", operand, low, high);
      return { kind: "between", name, value: literal(low), high: literal(high) };
    }
    case "begins_with": {
      const name = firstName("begins_with", condition.operand, condition.prefix);
      return { kind: "begins_with", name, value: literal(condition.prefix) };
    }
    case "or":
    case "not":
    case "in":
      throw invalid(`Invalid operator used in KeyConditionExpression: ${condition.kind.toUpperCase()}`);
    default:
      throw invalid(`Invalid operator used in KeyConditionExpression: ${condition.kind}`);
  }
}

function comparisonPart(comparator: Comparator, left: Operand, right: Operand): Part {
  if (comparator === "<>") throw invalid("Invalid operator used in KeyConditionExpression: <>");
  const name = nameIn(left, right);
  const straight = left.kind === "path";
  const kind = straight ? comparator : (mirroredComparators[comparator] as Exclude<Comparator, "<>">);
  return { kind, name, value: literal(straight ? right : left) };
}

/** Returns the attribute of a condition, which must be its first operand. */
function firstName(operator: string, first: Operand, ...others: readonly Operand[]): string {
  if (first.kind === "value") {
    throw invalid(
      `Invalid condition in KeyConditionExpression: ${operator} operator must have the key attribute as its first operand`,
    );
  }
  return nameIn(first, ...others);
}

function nameIn(...operands: readonly Operand[]): string {
  let name: string | undefined;
  for (const operand of operands) {
    if (operand.kind === "size") throw invalid("KeyConditionExpressions cannot contain nested operations");
    if (operand.kind !== "path") continue;
    if (name !== undefined) {
      throw invalid(
        "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
      );
    }
    if (operand.path.length > 1) {
      throw invalid("KeyConditionExpressions cannot have conditions on nested attributes");
    }
    name = operand.path[0];
  }
  if (name === undefined) {
    throw invalid("Invalid condition in KeyConditionExpression: No key attribute specified");
  }
  return name;
}

function literal(operand: Operand): WireValue {
  if (operand.kind === "value") return operand.value;
  throw invalid("Query key condition not supported");
}

function checkType(attribute: KeyAttribute, value: WireValue): void {
  if (tagOf(value) !== attribute.type) {
    throw invalidParameter(`Condition parameter type does not match schema type`);
  }
}

function checkNotEmpty(index: IndexModel | undefined, attribute: KeyAttribute, value: WireValue): void {
  if (contentOf(value) !== "") return;
  if (index !== undefined) throw emptyIndexKeyError(index, attribute);
  const { name, type } = attribute;
  throw invalid(`One or more parameter values are not valid. ${emptyValueMessage(type)} Key: ${name}`);
}

function invertedBounds(low: WireValue, high: WireValue): Error {
  return invalid(
    "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower " +
      `bound; lower bound operand: AttributeValue: ${formatValue(low)}, upper bound operand: AttributeValue: ${formatValue(high)}`,
  );
}

/** Formats a scalar in DynamoDB's notation. */
function formatValue(value: WireValue): string {
  const tag = tagOf(value);
  return `{${tag}:${String((value as Record<string, unknown>)[tag])}}`;
}

/** Returns the names of the keys after which a page of this index, or of the table, can begin. */
export function pageKeyNames(keyNames: readonly string[], index: IndexModel | undefined): string[] {
  const own = index === undefined ? [] : [...index.hash, ...index.range].map(({ name }) => name);
  return [...new Set([...keyNames, ...own])];
}
