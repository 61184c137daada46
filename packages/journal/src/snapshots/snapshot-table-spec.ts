import type { TableSpec } from "@tablekeep/client";

/** The original's own default is "akka-persistence-snapshot". */
export const defaultSnapshotTable = "snapshots";

/** How a snapshot table differs from the original's. */
export interface SnapshotTableOptions {
  /**
   * Whether to have the index `ts-idx`. The original looks for the latest snapshot there; this library never reads it.
   * Without it every write costs half, and a snapshot of one item may be twice as large. @default true
   */
  readonly indexed?: boolean | undefined;
}

/** What a table of snapshots looks like, for `ensureTable`, `checkTable` and the printers. */
export function snapshotTableSpec(
  name: string = defaultSnapshotTable,
  { indexed = true }: SnapshotTableOptions = {},
): TableSpec {
  return {
    name,
    partitionKey: { name: "par", type: "S" },
    sortKey: { name: "seq", type: "N" },
    ...(indexed && { localIndexes: [{ name: "ts-idx", sortKey: { name: "ts", type: "N" } }] }),
  };
}
