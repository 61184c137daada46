import { type Engine, openEngine } from "@tablekeep/engine";
import { readVersion } from "../read-version.ts";
import { dynamoDbListener } from "./dynamodb/dynamodb-listener.ts";
import { reachableUrl } from "./dynamodb/reachable-url.ts";
import { healthRoute } from "./http/health-route.ts";
import { httpListener } from "./http/http-listener.ts";
import { routeRequests } from "./http/http-route.ts";
import { startPageRoute } from "./http/start-page.ts";
import type { Listener, ListenerAddress } from "./listener.ts";
import { runListeners } from "./run-listeners.ts";
import { type ResolvedServerOptions, resolveServerOptions, type ServerOptions } from "./server-options.ts";

/** A server that accepts requests. */
export interface RunningServer extends AsyncDisposable {
  readonly version: string;
  /** The absolute path of the data folder. */
  readonly dataFolder: string;
  readonly listeners: readonly ListenerAddress[];
  /** Finishes the requests under way, within `stopGraceMs`, frees the ports and closes the folder. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Opens the data folder and starts every listener, or nothing at all.
 *
 * @example
 * const server = await startServer({ httpPort: 0, dynamodbPort: 0 });
 * const health = await fetch(new URL("/healthz", server.listeners[0].url));
 * await server.stop();
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const resolved = resolveServerOptions(options);
  const { dataFolder, clock } = resolved;
  const engine = resolved.dynamodb
    ? await openEngine({ storage: { kind: "folder", path: dataFolder }, clock })
    : undefined;
  const addresses: ListenerAddress[] = [];
  const facts = { version: readVersion(), dataFolder, listeners: addresses };
  const stop = await runListeners(listenersOf(facts, engine, resolved), {
    ...resolved,
    onListening(address) {
      addresses.push(address);
      if (address.name === "dynamodb") engine?.announce(reachableUrl(address.url));
    },
    afterStop: async () => engine?.close(),
  });
  return { ...facts, stop, [Symbol.asyncDispose]: stop };
}

type Facts = Pick<RunningServer, "version" | "dataFolder" | "listeners">;

/** Every listener of the server. A new one is a line here, with a port option of its own. */
function listenersOf(
  facts: Facts,
  engine: Engine | undefined,
  { host, clock, logger, accessKeys, httpPort, dynamodbPort }: ResolvedServerOptions,
): readonly Listener[] {
  return [
    httpListener({
      place: { listener: "http", host, port: httpPort, portFlag: "--http-port" },
      purpose: "start page, and /healthz",
      handle: routeRequests([startPageRoute(facts), healthRoute(facts.version, clock)]),
      clock,
      logger,
    }),
    ...(engine === undefined
      ? []
      : [
          dynamoDbListener({
            place: { listener: "dynamodb", host, port: dynamodbPort, portFlag: "--dynamodb-port" },
            backend: engine,
            accessKeys,
            clock,
            logger,
          }),
        ]),
  ];
}
