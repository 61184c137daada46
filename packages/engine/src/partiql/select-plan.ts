import type { KeyAttribute, KeyModel } from "../catalog/table-model.ts";
import { compareValues } from "../expression/compare-values.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import { invalid } from "../item/refuse.ts";
import { setOwn, type WireItem, type WireValue } from "../item/wire-value.ts";
import { type Source, scanRange } from "../read/key-range.ts";
import type { KeyRange } from "../storage/storage.ts";
import { allOf, conjunctsOf } from "./conjuncts.ts";
import { pinnedValues } from "./pinned-values.ts";
import { sortRange } from "./sort-range.ts";
import type { Order } from "./statement.ts";

/** AWS: PartiQL operators — IN takes at most this many values of a partition key. */
const maxPartitions = 50;

/** How a SELECT is read: which stretches of a table or index, in which order, and what is left to check of each item. */
export interface SelectPlan {
  readonly ranges: readonly KeyRange[];
  readonly filter: Condition | undefined;
  /** Whether the condition pins partitions: a query, not a scan. */
  readonly keyed: boolean;
  /** A read of several partitions, which DynamoDB answers in small pages. */
  readonly multiple: boolean;
}

/** Plans a SELECT: by partitions where the condition pins them, else a scan. */
export function planSelect(
  source: Source,
  where: Condition | undefined,
  order: readonly Order[],
): SelectPlan {
  const keys: KeyModel = source.index ?? source.table;
  if (order.length > 0) checkOrder(keys, order, where);
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
  const ranges = sorted(keys, partitions, order).map((partition) => ({
    ...rangeOf(partition),
    reverse: isReverse(keys, order, multiple),
  }));
  return { ranges, filter: allOf(left), keyed: true, multiple };
}

/** Takes the conditions that pin all partition key attributes out of `left`; undefined if they are not all pinned. */
function takePartitions(keys: KeyModel, left: Condition[]): WireItem[] | undefined {
  let partitions: Record<string, WireValue>[] = [{}];
  const used: number[] = [];
  for (const attribute of keys.hash) {
    const at = left.findIndex((condition) => pinnedValues(attribute, condition) !== undefined);
    const values = at === -1 ? undefined : pinnedValues(attribute, left[at] as Condition);
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

/** The partitions in the order of ORDER BY; as they are written where it does not speak of them. */
function sorted(
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

/** Whether each partition is read backwards. */
function isReverse(keys: KeyModel, order: readonly Order[], multiple: boolean): boolean {
  const [first] = order;
  if (multiple && first !== undefined && !keys.hash.some(({ name }) => name === first.name)) {
    throw invalid(
      "ORDER BY must begin with the partition key when the WHERE clause names several values of it",
    );
  }
  return (
    order.find(({ name }) => keys.range.some((attribute) => attribute.name === name))?.descending ?? false
  );
}
