import { checkKey } from "../catalog/check-keys.ts";
import { keySize, maxHashBytes, maxRangeBytes } from "../catalog/key-limits.ts";
import type { KeyAttribute, TableModel } from "../catalog/table-model.ts";
import type { Comparator, Condition } from "../expression/syntax-tree.ts";
import { equalValues } from "../values/compare-values.ts";
import { invalid, invalidParameter } from "../values/dynamo-errors.ts";
import { contentOf, getOwn, setOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";

/** Returns the conditions that make up a condition, joined by AND. */
export function conjunctsOf(condition: Condition | undefined): Condition[] {
  const found: Condition[] = [];
  const open: Condition[] = condition === undefined ? [] : [condition];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === "and") open.push(next.right, next.left);
    else found.push(next);
  }
  return found;
}

/** Joins conditions by AND; undefined for none. */
export function conjunctionOf(conditions: readonly Condition[]): Condition | undefined {
  const [first, ...others] = conditions;
  return first && others.reduce((left, right) => ({ kind: "and", left, right }), first);
}

/** A comparison of an attribute with a value, in either order. */
interface AttributeComparison {
  readonly name: string;
  readonly comparator: Comparator;
  readonly value: WireValue;
}

const mirroredComparators: Readonly<Record<Comparator, Comparator>> = {
  "=": "=",
  "<>": "<>",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** Returns a condition as the comparison of a top-level attribute with a value, if it is one. */
export function comparisonOf(condition: Condition): AttributeComparison | undefined {
  if (condition.kind !== "compare") return undefined;
  const { left, right, comparator } = condition;
  if (left.kind === "path" && left.path.length === 1 && right.kind === "value") {
    return { name: left.path[0], comparator, value: right.value };
  }
  if (right.kind === "path" && right.path.length === 1 && left.kind === "value") {
    return { name: right.path[0], comparator: mirroredComparators[comparator], value: left.value };
  }
  return undefined;
}

/** The one item that a WHERE clause identifies by its whole key, and the rest of the clause. */
export interface SingleItem {
  readonly key: WireItem;
  readonly rest: Condition | undefined;
}

/** Returns the item that a condition identifies; undefined if it does not. */
export function findSingleItem(table: TableModel, where: Condition | undefined): SingleItem | undefined {
  const key: Record<string, WireValue> = {};
  const rest: Condition[] = [];
  for (const condition of conjunctsOf(where)) {
    const comparison = comparisonOf(condition);
    if (comparison?.comparator !== "=" || !table.keyNames.includes(comparison.name)) {
      rest.push(condition);
      continue;
    }
    const { name, value } = comparison;
    const known = getOwn(key, name);
    if (known !== undefined && !equalValues(known, value)) {
      throw invalid(
        `Multiple conditions on same key ${name}. Only single item Update/Insert/Delete are supported`,
      );
    }
    setOwn(key, name, value);
  }
  if (Object.keys(key).length < table.keyNames.length) return undefined;
  for (const attribute of [...table.hash, ...table.range]) {
    checkKeyType(attribute, key[attribute.name] as WireValue);
  }
  return { key: checkKey(table, key), rest: conjunctionOf(rest) };
}

/**
 * Returns the values to which a condition restricts an attribute: by `=`, by IN, or by an OR of these. Undefined if
 * it does not restrict it. Each value is listed once.
 */
export function equalityValues(attribute: KeyAttribute, condition: Condition): WireValue[] | undefined {
  const values = valuesOf(attribute.name, condition);
  if (values === undefined) return undefined;
  for (const value of values) checkKeyValue(attribute, value, "HASH");
  return values.filter((value, at) => values.findIndex((other) => equalValues(value, other)) === at);
}

function valuesOf(name: string, condition: Condition): WireValue[] | undefined {
  if (condition.kind === "or") {
    const left = valuesOf(name, condition.left);
    const right = left && valuesOf(name, condition.right);
    return left && right && [...left, ...right];
  }
  if (condition.kind === "in") {
    const { operand, list } = condition;
    if (operand.kind !== "path" || operand.path.length > 1 || operand.path[0] !== name) return undefined;
    const values = list.flatMap((element) => (element.kind === "value" ? [element.value] : []));
    return values.length === list.length ? values : undefined;
  }
  const comparison = comparisonOf(condition);
  return comparison?.name === name && comparison.comparator === "=" ? [comparison.value] : undefined;
}

/** Throws if a value is not of the type of the key attribute that it is compared with. */
export function checkKeyType({ name, type }: KeyAttribute, value: WireValue): void {
  if (tagOf(value) === type) return;
  throw invalid(`Key attribute's data type should match its data type in table's schema: Key ${name}`);
}

/** Throws if a value is not valid as a key: of another type, empty or too long. */
export function checkKeyValue(attribute: KeyAttribute, value: WireValue, kind: "HASH" | "RANGE"): void {
  checkKeyType(attribute, value);
  if (contentOf(value) === "") {
    throw invalid(
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " +
        `${attribute.type === "S" ? "string" : "binary"} value. Key: ${attribute.name}`,
    );
  }
  if (keySize(value) <= (kind === "HASH" ? maxHashBytes : maxRangeBytes)) return;
  throw invalidParameter(
    kind === "HASH"
      ? `Size of hashkey has exceeded the maximum size limit of${maxHashBytes} bytes`
      : `Aggregated size of all range keys has exceeded the size limit of ${maxRangeBytes} bytes`,
  );
}
