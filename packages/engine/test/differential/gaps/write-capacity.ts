import { itemSize } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import type { Change } from "../run/items.ts";
import type { Answer } from "../run/outcome.ts";
import type { Gap, StepOutcomes } from "./gap.ts";
import { answerGap, plus, tableUnits, type Units } from "./gap.ts";

/** A gap in what Local reports for one table, compared with the engine's report. */
function unitsGap(
  name: string,
  source: string,
  correct: (units: Units, engine: Units, met: StepOutcomes) => Units,
): Gap {
  return answerGap(name, source, (answer, engine, met): Answer => {
    const found = answer["ConsumedCapacity"];
    if (found === undefined) return answer;
    const ours = [engine["ConsumedCapacity"] ?? []].flat() as Units[];
    const theirs = [found].flat() as Units[];
    const corrected = theirs.map((units) => {
      const same = ours.find((each) => each["TableName"] === units["TableName"]);
      return same === undefined ? units : correct(units, same, met);
    });
    if (corrected.every((units, at) => units === theirs[at])) return answer;
    return { ...answer, ConsumedCapacity: Array.isArray(found) ? corrected : corrected[0] };
  });
}

/** Returns the actions of a transaction on one table. */
function actionsOn(table: unknown, { input }: StepOutcomes["step"]): readonly Record<string, unknown>[] {
  const actions = (input["TransactItems"] ?? []) as Record<string, { TableName?: string }>[];
  return actions.filter((action) => Object.values(action)[0]?.TableName === table);
}

/** Local charges two units for deleting an absent item in a batch. */
export const absentDeleteInBatch: Gap = unitsGap(
  "the deletion of an absent item costs 2 in a batch",
  "AWS docs: capacity unit consumption — the deletion of an item that does not exist costs one unit",
  (units, _engine, { step: { operation }, changes }) => {
    if (operation !== "BatchWriteItem") return units;
    const absent = changesOf(units, changes).filter(
      ({ before, after }) => before === undefined && after === undefined,
    );
    return absent.length === 0 ? units : plus(units, -absent.length);
  },
);

/** In a transaction it costs one, not two. */
export const absentDeleteInTransaction: Gap = unitsGap(
  "the deletion of an absent item costs 1 in a transaction",
  "AWS docs: Amazon DynamoDB transactions, capacity management — two units where a plain write costs one",
  (units, _engine, { step, changes }) => {
    if (step.operation !== "TransactWriteItems") return units;
    const [action, ...others] = actionsOn(units["TableName"], step);
    const isDelete = action?.["Delete"] !== undefined && others.length === 0;
    const [change] = changesOf(units, changes);
    const absent = change?.before === undefined && change?.after === undefined;
    return isDelete && absent && tableUnits(units) === 1 ? plus(units, 1) : units;
  },
);

/** Local charges the checked item as a read, two units per 4 KB instead of per 1 KB. */
export const checkCostsARead: Gap = unitsGap(
  "a condition check is charged as a read in a transaction",
  "AWS docs: Amazon DynamoDB transactions, capacity management — TransactWriteItems consumes write capacity for every item",
  (units, _engine, { step, changes }) => {
    if (step.operation !== "TransactWriteItems") return units;
    const [action, ...others] = actionsOn(units["TableName"], step);
    if (action?.["ConditionCheck"] === undefined || others.length > 0) return units;
    const [change] = changesOf(units, changes);
    const asRead = 2 * unitsOf(4096, change?.before);
    return tableUnits(units) === asRead ? plus(units, 2 * unitsOf(1024, change?.before) - asRead) : units;
  },
);

/** Several actions of a transaction on one table that cost the same are charged once. */
export const equalCostsOnce: Gap = unitsGap(
  "equal costs of actions on one table are charged once in a transaction",
  "AWS docs: Amazon DynamoDB transactions, capacity management — every item is paid for",
  (units, _engine, { step, changes }) => {
    if (step.operation !== "TransactWriteItems" || actionsOn(units["TableName"], step).length < 2)
      return units;
    const all = changesOf(units, changes).map(({ before, after }) => 2 * unitsOf(1024, before, after));
    const total = all.reduce((sum, each) => sum + each, 0);
    return total === tableUnits(units) ? units : plus(units, total - tableUnits(units));
  },
);

/** A repeated token costs a read; Local charges the write again. */
export const repeatedToken: Gap = unitsGap(
  "a repeated token costs as much as the transaction",
  "AWS docs: Amazon DynamoDB transactions, idempotency — the read of the items is charged",
  (units, engine, { step: { operation }, changes }) => {
    if (operation !== "TransactWriteItems" || engine["ReadCapacityUnits"] === undefined) return units;
    const all = changesOf(units, changes).map(({ after }) => 2 * unitsOf(4096, after));
    const CapacityUnits = all.reduce((sum, each) => sum + each, 0);
    const read = { CapacityUnits, ReadCapacityUnits: CapacityUnits };
    return { TableName: units["TableName"], ...read, ...(units["Table"] !== undefined && { Table: read }) };
  },
);

/** Returns the items of a request in the table of these units. */
function changesOf(units: Units, changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ table }) => table.name === units["TableName"]);
}

/** Returns the units of the largest of these items; an absent one costs the smallest. */
function unitsOf(unitBytes: number, ...items: readonly (Item | undefined)[]): number {
  const sizes = items.map((item) => (item === undefined ? 0 : itemSize(item)));
  return Math.max(1, Math.ceil(Math.max(...sizes) / unitBytes));
}

const indexKinds = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] as const;

/** Local doubles index units in a transaction. A total alone does not show which units are which. */
export const transactionIndexUnits: Gap = unitsGap(
  "index units are doubled in a transaction",
  "measured on AWS by the authors of dynoxide: the factor of transactions applies to the table alone",
  (units, _engine, { step: { operation } }) => {
    if (operation !== "TransactWriteItems" || units["Table"] === undefined) return units;
    return withIndexes(units, (each) => Number(each) / 2);
  },
);

/** Returns the units of each index by another rule, undefined for none, and the resulting total. */
function withIndexes(units: Units, rule: (units: unknown, index: string) => number | undefined): Units {
  let total = tableUnits(units);
  const changed: Record<string, unknown> = {};
  for (const kind of indexKinds) {
    if (units[kind] === undefined) continue;
    const entries = Object.entries(units[kind] as Record<string, Units>).flatMap(([index, each]) => {
      const value = rule(each["CapacityUnits"], index);
      total += value ?? 0;
      return value === undefined ? [] : [[index, { CapacityUnits: value }] as const];
    });
    changed[kind] = entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  return Object.keys(changed).length === 0 ? units : { ...units, ...changed, CapacityUnits: total };
}

/**
 * Local charges an index of two key attributes for an item that has one of them before the write and the other after
 * it.
 */
export const indexWithoutItem: Gap = unitsGap(
  "an index that never contains the item is charged",
  "public conformance suites: a write that costs an index nothing reports no units of it",
  (units, _engine, { step: { operation }, changes }) => {
    if (
      units["Table"] === undefined ||
      !/^(PutItem|UpdateItem|DeleteItem|BatchWriteItem|TransactWriteItems)$/.test(operation)
    )
      return units;
    const own = changesOf(units, changes);
    return withIndexes(units, (each, index) => {
      const charged = Number(each) - own.filter((change) => neverHeld(change, index)).length;
      return charged === 0 ? undefined : charged;
    });
  },
);

/**
 * Returns whether an item has one key attribute of an index before the write and the other one after it, and never
 * both.
 */
function neverHeld({ table, before = {}, after = {} }: Change, index: string): boolean {
  const path = table.paths.find((each) => each.index === index);
  if (path?.kind !== "global" || path.range === undefined) return false;
  const [hash, range] = [path.hash.name, path.range.name];
  const isIn = (name: string, item: Item) => item[name] !== undefined;
  const hasBoth = (item: Item) => isIn(hash, item) && isIn(range, item);
  const isCovered = [hash, range].every((name) => isIn(name, before) || isIn(name, after));
  return isCovered && !hasBoth(before) && !hasBoth(after);
}

/** Local does not report which of a transaction's units were read and which written. */
export const transactionSplit: Gap = unitsGap(
  "transactions do not report reads and writes separately",
  "AWS: API_ConsumedCapacity, ReadCapacityUnits and WriteCapacityUnits; seen on AWS for transactions",
  (units, _engine, { step: { operation } }) => {
    if (operation !== "TransactWriteItems" && operation !== "TransactGetItems") return units;
    const name = operation === "TransactGetItems" ? "ReadCapacityUnits" : "WriteCapacityUnits";
    return units[name] === undefined ? split(units, name) : units;
  },
);

function split(units: Units, name: string): Units {
  const both = (each: Units) => ({ ...each, [name]: each["CapacityUnits"] });
  const entries = Object.entries(both(units)).map(([member, value]) => {
    if (member === "Table") return [member, both(value as Units)];
    if (value === undefined || !member.endsWith("Indexes")) return [member, value];
    const indexes = Object.entries(value as Record<string, Units>).map(([index, each]) => [
      index,
      both(each),
    ]);
    return [member, Object.fromEntries(indexes)];
  });
  return Object.fromEntries(entries) as Units;
}
