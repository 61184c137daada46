import { metered } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import type { TableUse } from "@tablekeep/engine";

/** Returns the use of each table since the start. */
export type UseByTable = () => Readonly<Record<string, TableUse>>;

/** A port that counts its requests. */
export interface CountedPort {
  readonly port: DynamoPort;
  readonly use: UseByTable;
}

/** Counts requests and the capacity that DynamoDB reports for them. The embedded engine counts both by itself. */
export function countedWithCapacity(given: DynamoPort): CountedPort {
  const { port, meter } = metered(given, { capacity: true });
  return { port, use: () => meter.snapshot().byTable };
}
