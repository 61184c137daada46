/** What requests cost. All are sums over calls that have ended. */
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

/** The cost in words, such as `1 request, 1 item written, 1 WCU`. Only what is not 0 is said; bytes never are. */
export function formatCost(counts: MeterCounts): string {
  const parts = words
    .filter(([field]) => counts[field] !== 0)
    .map(([field, one, many]) => `${counts[field]} ${counts[field] === 1 ? one : many}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
