import type { OperationName } from "@tablekeep/core";

/** The cost of requests: sums over the calls that have ended. */
export interface MeterCounts {
  /** Calls of the port, successful or not. A call that is retried within the port is one request. */
  readonly requests: number;
  /** How often the port sent a request again. */
  readonly retries: number;
  /** Calls that ended with an error. */
  readonly failures: number;
  /** Items that came back. */
  readonly itemsRead: number;
  /** Items put, changed or deleted. */
  readonly itemsWritten: number;
  /** The size of the items that came back, as DynamoDB counts it, in bytes. */
  readonly bytesRead: number;
  /** The size of the items that were put, in bytes. What an update changes is not known and not counted. */
  readonly bytesWritten: number;
  /** Read capacity units that DynamoDB reported. */
  readonly readUnits: number;
  /** Write capacity units that DynamoDB reported. */
  readonly writeUnits: number;
}

export const noCounts: MeterCounts = {
  requests: 0,
  retries: 0,
  failures: 0,
  itemsRead: 0,
  itemsWritten: 0,
  bytesRead: 0,
  bytesWritten: 0,
  readUnits: 0,
  writeUnits: 0,
};

const fields = Object.keys(noCounts) as (keyof MeterCounts)[];

/** `one + sign * other`, field by field. */
export function addCounts(one: MeterCounts, other: Partial<MeterCounts>, sign: 1 | -1 = 1): MeterCounts {
  const sum: Record<keyof MeterCounts, number> = { ...one };
  for (const field of fields) sum[field] += sign * (other[field] ?? 0);
  return sum;
}

const words: readonly [field: keyof MeterCounts, one: string, many: string][] = [
  ["requests", "request", "requests"],
  ["retries", "retry", "retries"],
  ["failures", "failure", "failures"],
  ["itemsRead", "item read", "items read"],
  ["itemsWritten", "item written", "items written"],
  ["readUnits", "RCU", "RCU"],
  ["writeUnits", "WCU", "WCU"],
];

/**
 * Formats the cost, such as `1 request, 1 item written, 1 WCU`. Leaves out zero counts and bytes.
 *
 * @example
 * const { port, meter } = metered(connect());
 * await port.putItem({ TableName: "t", Item: { pk: { S: "a" } } });
 * console.log(formatCost(meter.snapshot().total)); // 1 request, 1 item written
 */
export function formatCost(counts: MeterCounts): string {
  const parts = words
    .filter(([field]) => counts[field] !== 0)
    .map(([field, one, many]) => `${counts[field]} ${counts[field] === 1 ? one : many}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

/** The counts of a meter at one moment. Never changes. */
export interface MeterSnapshot {
  readonly total: MeterCounts;
  readonly byOperation: Readonly<Partial<Record<OperationName, MeterCounts>>>;
  /** A request to several tables counts for each of them, so requests here may add up to more than the total. */
  readonly byTable: Readonly<Record<string, MeterCounts>>;
  /** How many calls ended with each error code. */
  readonly errors: Readonly<Record<string, number>>;
}

/** Counts the calls of a port. */
export interface Meter {
  /**
   * Returns the counts so far.
   *
   * @example
   * const { total } = meter.snapshot();
   */
  snapshot(): MeterSnapshot;
  /**
   * Resets the counts to 0, and returns those so far.
   *
   * @example
   * const { byOperation } = meter.reset();
   */
  reset(): MeterSnapshot;
}

/** The cost of one call: in total, and by table. */
export interface CallCost {
  readonly operation: OperationName;
  readonly total: Partial<MeterCounts>;
  readonly byTable: ReadonlyMap<string, Partial<MeterCounts>>;
  readonly errorCode?: string;
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

/**
 * Subtracts an earlier snapshot of the same meter. Leaves out operations, tables and errors that did not change.
 *
 * @example
 * const before = meter.snapshot();
 * await port.getItem({ TableName: "t", Key: { pk: { S: "a" } } });
 * console.log(formatCost(meterDifference(meter.snapshot(), before).total));
 */
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
