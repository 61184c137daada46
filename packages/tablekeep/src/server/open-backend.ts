import type { DynamoPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import type { ResolvedServerOptions } from "./server-options.ts";

/** What the stores of a server stand on. */
export interface Backend {
  readonly port: DynamoPort;
  /** The embedded engine, where the data is in a folder. */
  readonly engine?: Engine | undefined;
  close(): Promise<void>;
}

/** Opens the data folder. */
export async function openBackend({ dataFolder, clock }: ResolvedServerOptions): Promise<Backend> {
  const engine = await openEngine({ storage: { kind: "folder", path: dataFolder }, clock });
  return { port: engine, engine, close: () => engine.close() };
}
