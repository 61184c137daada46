import type { OperationName } from "@tablekeep/core";
import { addCounts, type MeterCounts, noCounts } from "./meter-counts.ts";

/** The counts of a meter at one moment. Does not change any more. */
export interface MeterSnapshot {
  readonly total: MeterCounts;
  readonly byOperation: Readonly<Partial<Record<OperationName, MeterCounts>>>;
  /** A request to several tables counts for each of them, so that requests here may add up to more than the total. */
  readonly byTable: Readonly<Record<string, MeterCounts>>;
  /** How many calls ended with each error code. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Counts what goes through a port. */
export interface Meter {
  snapshot(): MeterSnapshot;
  /** Starts again from 0, and returns what there was. */
  reset(): MeterSnapshot;
}

/** What one call has cost: in all, and table by table. */
export interface CallCost {
  readonly operation: OperationName;
  readonly total: Partial<MeterCounts>;
  readonly byTable: ReadonlyMap<string, Partial<MeterCounts>>;
  readonly errorCode?: string | undefined;
}

/** A meter, and the function that feeds it. */
export function createMeter(): { readonly meter: Meter; readonly count: (cost: CallCost) => void } {
  let now = empty();
  const meter: Meter = {
    snapshot: () => ({
      total: now.total,
      byOperation: Object.fromEntries(now.byOperation),
      byTable: Object.fromEntries(now.byTable),
      errors: Object.fromEntries(now.errors),
    }),
    reset() {
      const before = meter.snapshot();
      now = empty();
      return before;
    },
  };
  return {
    meter,
    count({ operation, total, byTable, errorCode }) {
      now.total = addCounts(now.total, total);
      now.byOperation.set(operation, addCounts(now.byOperation.get(operation) ?? noCounts, total));
      for (const [table, counts] of byTable) {
        now.byTable.set(table, addCounts(now.byTable.get(table) ?? noCounts, counts));
      }
      if (errorCode !== undefined) now.errors.set(errorCode, (now.errors.get(errorCode) ?? 0) + 1);
    },
  };
}

/** What happened between two snapshots of one meter. Operations, tables and errors without change are left out. */
export function meterDifference(later: MeterSnapshot, earlier: MeterSnapshot): MeterSnapshot {
  const between = (one: Counts, other: Counts): Record<string, MeterCounts> =>
    Object.fromEntries(
      Object.entries(one)
        .map(([name, counts]) => [name, addCounts(counts, other[name] ?? noCounts, -1)] as const)
        .filter(([, { requests }]) => requests !== 0),
    );
  const errors = Object.entries(later.errors)
    .map(([code, count]) => [code, count - (earlier.errors[code] ?? 0)] as const)
    .filter(([, count]) => count !== 0);
  return {
    total: addCounts(later.total, earlier.total, -1),
    byOperation: between(later.byOperation, earlier.byOperation),
    byTable: between(later.byTable, earlier.byTable),
    errors: Object.fromEntries(errors),
  };
}

type Counts = Readonly<Record<string, MeterCounts>>;

interface Tally {
  total: MeterCounts;
  readonly byOperation: Map<OperationName, MeterCounts>;
  readonly byTable: Map<string, MeterCounts>;
  readonly errors: Map<string, number>;
}

function empty(): Tally {
  return { total: noCounts, byOperation: new Map(), byTable: new Map(), errors: new Map() };
}
