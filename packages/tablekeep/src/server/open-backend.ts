import { ensureTable, requireTable, type TableSpec } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import type { ResolvedServerOptions } from "./server-options.ts";

/** What the stores of a server stand on. */
export interface Backend {
  readonly port: DynamoPort;
  /** The embedded engine, where the data is in a folder or in memory. */
  readonly engine?: Engine | undefined;
  /** Makes sure that a table is there: makes it in a folder, looks at it elsewhere. */
  prepare(spec: TableSpec): Promise<void>;
  close(): Promise<void>;
}

/** Opens the data folder or a store in memory, or takes the port that was given; that stays its owner's. */
export async function openBackend({
  dataFolder,
  memory,
  port,
  clock,
}: ResolvedServerOptions): Promise<Backend> {
  if (port !== undefined) {
    const prepare = async (spec: TableSpec) => void (await requireTable(port, spec, { clock }));
    return { port, prepare, close: async () => {} };
  }
  const storage = memory ? ({ kind: "memory" } as const) : ({ kind: "folder", path: dataFolder } as const);
  const engine = await openEngine({ storage, clock });
  return {
    port: engine,
    engine,
    prepare: async (spec) => void (await ensureTable(engine, spec, { clock })),
    close: () => engine.close(),
  };
}
