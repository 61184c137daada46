import { readVersion } from "../read-version.ts";
import { healthRoute } from "./http/health-route.ts";
import { httpListener } from "./http/http-listener.ts";
import { startPageRoute } from "./http/start-page.ts";
import type { Listener, ListenerAddress } from "./listener.ts";
import { type ResolvedServerOptions, resolveServerOptions, type ServerOptions } from "./server-options.ts";

/** A server that accepts requests. */
export interface RunningServer extends AsyncDisposable {
  readonly version: string;
  /** The absolute path of the data folder. */
  readonly dataFolder: string;
  readonly listeners: readonly ListenerAddress[];
  /** Finishes the requests under way, within `stopGraceMs`, and frees the ports. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts every listener, or none: where one cannot start, those before it are stopped again.
 *
 * @example
 * const server = await startServer({ httpPort: 0 });
 * const health = await fetch(new URL("/healthz", server.listeners[0].url));
 * await server.stop();
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const resolved = resolveServerOptions(options);
  const version = readVersion();
  const addresses: ListenerAddress[] = [];
  const started: Listener[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= stopAll(started, resolved);
    return stopped;
  };
  const running: RunningServer = {
    version,
    dataFolder: resolved.dataFolder,
    listeners: addresses,
    stop,
    [Symbol.asyncDispose]: stop,
  };
  try {
    for (const listener of listenersOf(running, resolved)) {
      const { name, purpose } = listener;
      const url = await listener.start();
      started.push(listener);
      addresses.push({ name, purpose, url });
      resolved.logger.info("listening", { listener: name, url });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  stopOnAbort(running, resolved);
  return running;
}

/** Every listener of the server. A new one is a line here, with a port option of its own. */
function listenersOf(running: RunningServer, options: ResolvedServerOptions): readonly Listener[] {
  const { host, clock, logger } = options;
  return [
    httpListener({
      place: { listener: "http", host, port: options.httpPort, portFlag: "--http-port" },
      purpose: "start page, and /healthz",
      routes: [startPageRoute(running), healthRoute(running.version, clock)],
      clock,
      logger,
    }),
  ];
}

async function stopAll(started: readonly Listener[], options: ResolvedServerOptions): Promise<void> {
  await Promise.all(started.map((listener) => listener.stop(options.stopGraceMs)));
  options.logger.info("stopped");
}

function stopOnAbort(server: RunningServer, { signal, logger }: ResolvedServerOptions): void {
  const onAbort = () => {
    server.stop().catch((error: unknown) => logger.error("stopping failed", { error }));
  };
  if (signal?.aborted) onAbort();
  else signal?.addEventListener("abort", onAbort, { once: true });
}
