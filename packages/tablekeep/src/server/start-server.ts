import type { Socket } from "node:net";
import { readVersion } from "../package/package-info.ts";
import { openBackend, servedTables } from "./backend/open-backend.ts";
import { commandEndpoint } from "./dynamodb/dynamodb-listener.ts";
import { addressToOpen, type ListenerAddress } from "./listening/listener.ts";
import { currentPart } from "./listening/part-context.ts";
import { runListeners } from "./listening/run-listeners.ts";
import type { Metric } from "./metrics/metrics.ts";
import { processMetrics, tableMetrics } from "./metrics/server-metrics.ts";
import {
  type ResolvedServerOptions,
  resolveServerOptions,
  type ServerOptions,
} from "./options/server-options.ts";
import { type OpenParts, openParts } from "./server-parts.ts";
import { readiness, type ServerState } from "./web/readiness.ts";
import { webListener } from "./web/web-listener.ts";

/** A server that accepts requests. */
export interface RunningServer extends AsyncDisposable {
  readonly version: string;
  /** The absolute path of the data folder; undefined where the data is elsewhere. */
  readonly dataFolder: string | undefined;
  /** The location of the data, for messages: the folder, or the name of the given port. */
  readonly storage: string;
  readonly listeners: readonly ListenerAddress[];
  /**
   * Records an uncaught error: the server keeps running, and `/readyz` reports the failed part from now on. For programs that
   * handle `uncaughtException`; call it in the handler. Returns the name of the part, or undefined if it is unknown.
   *
   * @example
   * process.on("uncaughtException", (error) => console.error(server.reportFailure(error), error));
   */
  reportFailure(error: unknown): string | undefined;
  /**
   * Allows the process to exit while the server runs, although it has listeners and connections. Call it right after the start.
   *
   * @example
   * const server = await startServer({ memory: true });
   * server.unref();
   */
  unref(): void;
  /** Finishes the requests in flight, within `stopGraceMs`, frees the ports and closes the folder. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Opens the data folder and starts every listener, or nothing at all.
 *
 * @example
 * const server = await startServer({ httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 });
 * const health = await fetch(new URL("/healthz", server.listeners[0].url));
 * await server.stop();
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const resolved = resolveServerOptions(options);
  const { clock } = resolved;
  const backend = await openBackend(resolved, servedTables(resolved));
  let parts: OpenParts;
  try {
    parts = await openParts(backend, resolved);
  } catch (error) {
    await backend.close();
    throw error;
  }
  const addresses: ListenerAddress[] = [];
  const facts = { version: readVersion(), ...storageOf(resolved), listeners: addresses };
  const measured = processMetrics(facts.version, clock);
  const opened = [...parts.byName.values()];
  const metrics: readonly Metric[] = [
    ...measured.metrics,
    ...tableMetrics(backend.use),
    ...opened.flatMap((part) => part.metrics ?? []),
  ];
  let state: ServerState = "starting";
  const failed = new Set<string>();
  const down = new Set<string>();
  const failing = () => opened.flatMap((part) => part.failing?.() ?? []);
  const ready = readiness(backend, { clock, state: () => state, failed, down, failing });
  const web = { facts, metrics, readiness: ready };
  const commands = backend.engine && commandEndpoint(backend.engine, resolved);
  const listeners = [
    webListener(parts.byName, web, resolved),
    ...opened.flatMap((part) => part.listeners ?? []),
    ...(commands === undefined || resolved.memory ? [] : [commands.listener]),
  ];
  const stop = await runListeners(listeners, {
    ...resolved,
    attributeErrors: true,
    onChange(listener, change) {
      if (change === "down") down.add(listener);
      else down.delete(listener);
    },
    onListening(address) {
      const isShown = commands?.onListening(addressToOpen(address, resolved.webPath));
      if (isShown !== false) addresses.push(address);
    },
    onStopping() {
      state = "stopping";
    },
    async afterStop() {
      measured.stop();
      try {
        await parts.close();
      } finally {
        await backend.close();
      }
    },
  });
  if (state === "starting") state = "running";
  const reportFailure = (error: unknown) => {
    const part = currentPart();
    failed.add(part ?? "unknown");
    resolved.logger.error("uncaught error", { part, error });
    return part;
  };
  const unref = () => {
    for (const { server } of listeners) server.on("connection", (socket: Socket) => socket.unref()).unref();
  };
  return { ...facts, reportFailure, unref, stop, [Symbol.asyncDispose]: stop };
}

function storageOf({ dataFolder, memory, port, portName }: ResolvedServerOptions) {
  if (port !== undefined) return { dataFolder: undefined, storage: portName };
  if (memory) return { dataFolder: undefined, storage: "in memory" };
  return { dataFolder, storage: dataFolder };
}
