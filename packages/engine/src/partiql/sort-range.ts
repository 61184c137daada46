import { keySize, maxRangeBytes } from "../catalog/key-limits.ts";
import type { KeyAttribute } from "../catalog/table-model.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import type { WireItem, WireValue } from "../item/wire-value.ts";
import type { KeyCondition, RangeCondition } from "../read/key-condition.ts";
import { queryRange, type Source } from "../read/key-range.ts";
import type { KeyRange, StorageKey } from "../storage/storage.ts";
import { checkKeyType, checkKeyValue } from "./check-key-value.ts";
import { comparisonOf } from "./conjuncts.ts";

/**
 * Takes the conditions on sort keys that narrow what is read of a partition out of `left`. Several on one attribute
 * narrow it together. Gives the range of each partition.
 */
export function sortRange(source: Source, left: Condition[]): (partition: WireItem) => KeyRange {
  const equalRange: { attribute: KeyAttribute; value: WireValue }[] = [];
  const bounds: RangeCondition[] = [];
  for (const attribute of (source.index ?? source.table).range) {
    const value = takeEqual(attribute, left);
    if (value === undefined) {
      bounds.push(...takeBounds(attribute, left));
      break;
    }
    equalRange.push({ attribute, value });
  }
  return (partition) => {
    const rangeOf = (range: RangeCondition | undefined) =>
      queryRange(source, { partition, equalRange, range } satisfies KeyCondition);
    return bounds.length === 0 ? rangeOf(undefined) : bounds.map(rangeOf).reduce(intersection);
  };
}

function takeEqual(attribute: KeyAttribute, left: Condition[]): WireValue | undefined {
  for (const [at, condition] of left.entries()) {
    const comparison = comparisonOf(condition);
    if (comparison?.name !== attribute.name || comparison.comparator !== "=") continue;
    checkKeyValue(attribute, comparison.value, "RANGE");
    left.splice(at, 1);
    return comparison.value;
  }
  return undefined;
}

function takeBounds(attribute: KeyAttribute, left: Condition[]): RangeCondition[] {
  const bounds: RangeCondition[] = [];
  const others: Condition[] = [];
  for (const condition of left) {
    const bound = boundOf(attribute, condition);
    if (bound === undefined) others.push(condition);
    else bounds.push(bound);
  }
  left.splice(0, left.length, ...others);
  return bounds;
}

function boundOf(attribute: KeyAttribute, condition: Condition): RangeCondition | undefined {
  const comparison = comparisonOf(condition);
  if (comparison !== undefined) {
    const { name, comparator, value } = comparison;
    if (name !== attribute.name || comparator === "=" || comparator === "<>") return undefined;
    checkKeyValue(attribute, value, "RANGE");
    return { kind: comparator, attribute, value };
  }
  if (condition.kind === "between") {
    const { operand, low, high } = condition;
    if (!isAttribute(attribute, operand) || low.kind !== "value" || high.kind !== "value") return undefined;
    for (const { value } of [low, high]) checkKeyValue(attribute, value, "RANGE");
    return { kind: "between", attribute, value: low.value, high: high.value };
  }
  if (condition.kind === "begins_with") {
    const { operand, prefix } = condition;
    if (!isAttribute(attribute, operand) || prefix.kind !== "value" || attribute.type === "N")
      return undefined;
    checkKeyType(attribute, prefix.value);
    // Longer than any key, it holds for nothing, which is for the filter to find.
    if (keySize(prefix.value) > maxRangeBytes) return undefined;
    return { kind: "begins_with", attribute, value: prefix.value };
  }
  return undefined;
}

function isAttribute({ name }: KeyAttribute, operand: { kind: string; path?: readonly unknown[] }): boolean {
  return operand.kind === "path" && operand.path?.length === 1 && operand.path[0] === name;
}

function intersection(one: KeyRange, two: KeyRange): KeyRange {
  const [, start = ""] = [one.start, two.start].sort(byBytes);
  const [end = ""] = [one.end, two.end].sort(byBytes);
  // Where nothing is in both, an empty range.
  return { start, end: byBytes(end, start) < 0 ? start : end };
}

function byBytes(one: StorageKey, two: StorageKey): number {
  if (one === two) return 0;
  return one < two ? -1 : 1;
}
