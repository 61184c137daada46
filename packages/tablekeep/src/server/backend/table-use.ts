import { metered } from "@tablekeep/client";
import { type DynamoPort, tablesOf, wrapPort } from "@tablekeep/core";

/** The use of one table since the start. */
export interface TableCounts {
  readonly requests: number;
  readonly failures: number;
  /** Consumed capacity, where the backend reports it. */
  readonly readUnits?: number;
  readonly writeUnits?: number;
}

/** Returns the use of each table since the start. */
export type TableUse = () => Readonly<Record<string, TableCounts>>;

/** A port that counts its requests. */
export interface CountedPort {
  readonly port: DynamoPort;
  readonly use: TableUse;
}

/** Counts requests and the capacity that DynamoDB reports for them. */
export function countedWithCapacity(given: DynamoPort): CountedPort {
  const { port, meter } = metered(given, { capacity: true });
  return { port, use: () => meter.snapshot().byTable };
}

/** Counts only requests, at almost no cost: for an engine in this process a full meter would add a third of the time. */
export function countedPort(given: DynamoPort): CountedPort {
  const counts = new Map<string, { requests: number; failures: number }>();
  const countsOf = (table: string) => {
    const known = counts.get(table);
    if (known !== undefined) return known;
    const made = { requests: 0, failures: 0 };
    counts.set(table, made);
    return made;
  };
  const port = wrapPort(given, async (operation, input, options, next) => {
    const asked = tablesOf(operation, input).map(countsOf);
    for (const each of asked) each.requests += 1;
    try {
      return await next(operation, input, options);
    } catch (error) {
      for (const each of asked) each.failures += 1;
      throw error;
    }
  });
  const { atomicBatches, watchStream } = given;
  return {
    port: { ...port, atomicBatches, ...(watchStream && { watchStream }) },
    use: () => Object.fromEntries(counts),
  };
}
