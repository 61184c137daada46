import { keySize, maxRangeBytes } from "../catalog/key-limits.ts";
import type { KeyAttribute, KeyModel } from "../catalog/table-model.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import type { KeyCondition, RangeCondition } from "../read/key-condition.ts";
import { queryRange, scanRange } from "../read/key-range.ts";
import type { Source } from "../read/source.ts";
import type { KeyRange, StorageKey } from "../storage/storage.ts";
import { compareValues } from "../values/compare-values.ts";
import { engineMessage, invalid } from "../values/dynamo-errors.ts";
import { setOwn, type WireItem, type WireValue } from "../values/wire-value.ts";
import { excludesValues, keyBranches } from "./key-branches.ts";
import {
  checkKeyType,
  checkKeyValue,
  comparisonOf,
  conjunctionOf,
  conjunctsOf,
  equalityValues,
} from "./key-conditions.ts";
import type { Order } from "./statement.ts";

/** AWS: PartiQL operators — the most values of a partition key in IN. */
const maxPartitions = 50;

/** How to read a SELECT: which ranges of a table or index, in which order, and what is left to check for each item. */
export interface SelectPlan {
  readonly ranges: readonly KeyRange[];
  readonly filter: Condition | undefined;
  /** True if the condition names partitions: a query, not a scan. */
  readonly keyed: boolean;
  /** True for a read of several partitions, which DynamoDB answers in small pages. */
  readonly multiple: boolean;
}

/** Plans a SELECT: by partitions if the condition names them, otherwise a scan. */
export function planSelect(
  source: Source,
  where: Condition | undefined,
  order: readonly Order[],
): SelectPlan {
  const keys: KeyModel = source.index ?? source.table;
  if (order.length > 0) checkOrder(keys, order, where);
  checkOverlap(source, where);
  const left = conjunctsOf(where);
  const partitions = takePartitions(keys, left);
  if (partitions === undefined) {
    if (order.length > 0) {
      throw invalid(
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.",
      );
    }
    return { ranges: [scanRange(source)], filter: where, keyed: false, multiple: false };
  }
  const multiple = partitions.length > 1;
  const rangeOf = sortRange(source, left);
  const ranges = sortPartitions(keys, partitions, order).map((partition) => ({
    ...rangeOf(partition),
    reverse: isReverse(keys, order, multiple),
  }));
  return { ranges, filter: conjunctionOf(left), keyed: true, multiple };
}

/** Removes the conditions on partition key attributes from `left`; returns undefined if they do not fix all of them. */
function takePartitions(keys: KeyModel, left: Condition[]): WireItem[] | undefined {
  let partitions: Record<string, WireValue>[] = [{}];
  const used: number[] = [];
  for (const attribute of keys.hash) {
    const at = left.findIndex((condition) => equalityValues(attribute, condition) !== undefined);
    const values = at === -1 ? undefined : equalityValues(attribute, left[at] as Condition);
    if (values === undefined) return undefined;
    used.push(at);
    partitions = partitions.flatMap((partition) =>
      values.map((value) => withMember(partition, attribute, value)),
    );
    if (partitions.length > maxPartitions) {
      throw invalid(
        `The IN operator is provided with too many operands; number of operands: ${partitions.length}`,
      );
    }
  }
  for (const at of used.sort((one, two) => two - one)) left.splice(at, 1);
  return partitions;
}

/**
 * Rejects alternatives that read the same part of a partition, as AWS does. One that excludes values of the sort key does
 * not count, and neither does a clause that does not name a partition in each of them. Sources: Parity Suite of October
 * 2026, `whereOverlap` and `partiqlGrammar`; repeated values of IN: tests of Floci, and reports of users of AWS.
 */
function checkOverlap(source: Source, where: Condition | undefined): void {
  const keys: KeyModel = source.index ?? source.table;
  const ranges: KeyRange[] = [];
  for (const branch of keyBranches(keys, where) ?? []) {
    const left = [...branch];
    const partitions = takePartitions(keys, left);
    if (partitions === undefined) return;
    if (keys.range.some(({ name }) => left.some((condition) => excludesValues(name, condition)))) continue;
    ranges.push(...partitions.map(sortRange(source, left)));
  }
  const sorted = ranges.filter(({ start, end }) => byBytes(start, end) < 0).sort(byStart);
  for (const [at, { start }] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before === undefined || byBytes(before.end, start) <= 0) continue;
    throw invalid("Overlapping conditions with range keys are not supported in where clause");
  }
}

function byStart(one: KeyRange, two: KeyRange): number {
  return byBytes(one.start, two.start);
}

function withMember(
  partition: WireItem,
  { name }: KeyAttribute,
  value: WireValue,
): Record<string, WireValue> {
  const copy = { ...partition };
  setOwn(copy, name, value);
  return copy;
}

function checkOrder(keys: KeyModel, order: readonly Order[], where: Condition | undefined): void {
  if (where === undefined) {
    throw invalid("Must have WHERE clause in the statement when using ORDER BY clause.");
  }
  const names = [...keys.hash, ...keys.range].map(({ name }) => name);
  for (const { name } of order) {
    if (names.includes(name)) continue;
    throw invalid(`Variable reference ${name} in ORDER BY clause must be part of the primary key`);
  }
}

/** Sorts the partitions by ORDER BY; otherwise they stay in the order of the statement. */
function sortPartitions(
  keys: KeyModel,
  partitions: readonly WireItem[],
  order: readonly Order[],
): readonly WireItem[] {
  const byHash = order.filter(({ name }) => keys.hash.some((attribute) => attribute.name === name));
  return [...partitions].sort((one, two) => {
    for (const { name, descending } of byHash) {
      const difference = compareValues(one[name] as WireValue, two[name] as WireValue) ?? 0;
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  });
}

/** Returns whether to read each partition backwards. */
function isReverse(keys: KeyModel, order: readonly Order[], multiple: boolean): boolean {
  const [first] = order;
  if (multiple && first !== undefined && !keys.hash.some(({ name }) => name === first.name)) {
    throw invalid(
      engineMessage(
        "ORDER BY must begin with the partition key if the WHERE clause names several values of it",
      ),
    );
  }
  return (
    order.find(({ name }) => keys.range.some((attribute) => attribute.name === name))?.descending ?? false
  );
}

/**
 * Removes the conditions on sort keys that narrow the range of a partition from `left`. Several on one attribute
 * narrow it together. Returns a function from partition to range.
 */
function sortRange(source: Source, left: Condition[]): (partition: WireItem) => KeyRange {
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
    // A prefix longer than any key matches nothing, which the filter finds out.
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
  // An empty range if they do not overlap.
  return { start, end: byBytes(end, start) < 0 ? start : end };
}

function byBytes(one: StorageKey, two: StorageKey): number {
  if (one === two) return 0;
  return one < two ? -1 : 1;
}
