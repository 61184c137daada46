import { metered } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";

/** The use of one table since the start. */
export interface TableCounts {
  readonly requests: number;
  readonly failures: number;
  /** Consumed capacity, as DynamoDB reports it. */
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Returns the use of each table since the start. */
export type TableUse = () => Readonly<Record<string, TableCounts>>;

/** A port that counts its requests. */
export interface CountedPort {
  readonly port: DynamoPort;
  readonly use: TableUse;
}

/** Counts requests and the capacity that DynamoDB reports for them. The embedded engine counts both itself. */
export function countedWithCapacity(given: DynamoPort): CountedPort {
  const { port, meter } = metered(given, { capacity: true });
  return { port, use: () => meter.snapshot().byTable };
}
