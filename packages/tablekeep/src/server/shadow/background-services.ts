import { credentialSource } from "@tablekeep/client";
import { type AwsShadows, openShadowSync, type ShadowManager } from "@tablekeep/shadow";
import type { Backend } from "../backend/open-backend.ts";
import type { Metric } from "../metrics/metrics.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import { checkShadowSync } from "../setting-files/shadow-sync-file.ts";
import { RunningRules } from "./rules/run-rules.ts";
import type { ShadowFeed } from "./shadow-feed.ts";
import { iotCloud, regionOf } from "./sync/iot-cloud.ts";
import { RunningSync } from "./sync/run-sync.ts";
import { SyncMetrics } from "./sync/sync-metrics.ts";

/** The store that the services work on. */
export interface ServedStore {
  readonly table: string;
  readonly manager: ShadowManager;
  readonly shadows: AwsShadows;
  readonly feed: ShadowFeed;
}

/** The background work of a server on the shadows of its first store. */
export interface BackgroundServices {
  readonly rules: RunningRules;
  readonly metrics: readonly Metric[];
  /** Throws if a service cannot run. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** The rules of a store, and its sync with a cloud. */
export function backgroundServices(
  backend: Backend,
  store: ServedStore,
  options: ResolvedServerOptions,
): BackgroundServices {
  const rules = runningRules(backend, store, options);
  const syncMetrics = new SyncMetrics();
  const sync = runningSync(backend, store, options, syncMetrics);
  return {
    rules,
    metrics: [...rules.metrics, ...syncMetrics.all()],
    async start() {
      await rules.start();
      sync?.start();
    },
    async close() {
      await sync?.close();
      await rules.close();
    },
  };
}

/** The rules of the first store. A folder has one server, which enables a stream on its table; elsewhere a table without one may be polled. */
function runningRules(
  { port, engine }: Backend,
  { table, manager, shadows: documents }: ServedStore,
  { shadows, createTables, clock, logger }: ResolvedServerOptions,
): RunningRules {
  const { rules = [], pollSeconds } = shadows === false ? {} : shadows;
  const isShared = engine === undefined;
  const createStream = createTables || !isShared;
  const pollMs = isShared && pollSeconds !== undefined ? pollSeconds * 1000 : undefined;
  const shared = { rules, isShared, createStream, pollMs, clock, logger };
  return new RunningRules({ port, table, manager, shadows: documents, ...shared });
}

/** The sync of the first store with a cloud; undefined if there is none. */
function runningSync(
  { port, engine }: Backend,
  { table, manager, feed }: ServedStore,
  { shadows, clock, logger }: ResolvedServerOptions,
  metrics: SyncMetrics,
): RunningSync | undefined {
  if (shadows === false || shadows.sync === undefined) return undefined;
  const { sync: config, store } = shadows;
  checkShadowSync(config);
  const { endpoint, region = regionOf(endpoint) } = config;
  const credentials = credentialSource(config.credentials, { clock, logger });
  const cloud = iotCloud({ endpoint, region, credentials, clock });
  const sync = openShadowSync(port, manager, cloud, { clock, logger, ...store });
  const isShared = engine === undefined;
  return new RunningSync({
    config,
    sync,
    cloud,
    manager,
    metrics,
    feed,
    port,
    table,
    isShared,
    clock,
    logger,
  });
}
