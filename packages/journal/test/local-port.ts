import { connect, ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { snapshotTableSpec } from "../src/snapshots/snapshots.ts";

/** A port to DynamoDB Local with an empty snapshot table. */
export async function localWithSnapshots(endpoint: string, table: string): Promise<DynamoPort> {
  const port = connect({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  await ensureTable(port, snapshotTableSpec(table));
  return port;
}
