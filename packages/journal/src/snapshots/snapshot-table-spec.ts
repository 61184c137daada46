import type { TableSpec } from "@tablekeep/client";

/** The name of the original's snapshot table. */
export const defaultSnapshotTable = "akka-persistence-snapshot";

/**
 * What a table of snapshots looks like, for `ensureTable`, `checkTable` and the printers. The index `ts-idx` is for the
 * original, which looks for the latest snapshot there; this library never reads it.
 */
export function snapshotTableSpec(name: string = defaultSnapshotTable): TableSpec {
  return {
    name,
    partitionKey: { name: "par", type: "S" },
    sortKey: { name: "seq", type: "N" },
    localIndexes: [{ name: "ts-idx", sortKey: { name: "ts", type: "N" } }],
  };
}
