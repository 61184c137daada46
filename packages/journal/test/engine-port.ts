import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { snapshotTableSpec } from "../src/snapshots/snapshots.ts";

/** An engine in memory with an empty snapshot table. */
export async function engineWithSnapshots(table: string): Promise<DynamoPort> {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, snapshotTableSpec(table));
  return port;
}
