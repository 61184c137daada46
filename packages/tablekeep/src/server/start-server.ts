import { readVersion } from "../read-version.ts";
import { basicAuth } from "./auth/basic-auth.ts";
import { passwordCheck } from "./auth/password-check.ts";
import { dynamoDbListener } from "./dynamodb/dynamodb-listener.ts";
import { reachableUrl } from "./dynamodb/reachable-url.ts";
import { healthRoute } from "./http/health-route.ts";
import { httpListener } from "./http/http-listener.ts";
import type { RouteGroup } from "./http/http-route.ts";
import { routeRequests } from "./http/route-requests.ts";
import { startPageRoute } from "./http/start-page.ts";
import { journalPart } from "./journal/journal-part.ts";
import type { Listener, ListenerAddress } from "./listener.ts";
import { mailPart } from "./mail/mail-part.ts";
import { type Backend, openBackend } from "./open-backend.ts";
import { openApiRoute } from "./openapi/openapi-document.ts";
import { runListeners } from "./run-listeners.ts";
import { servedTables } from "./served-tables.ts";
import { type ResolvedServerOptions, resolveServerOptions, type ServerOptions } from "./server-options.ts";
import type { ServerPart } from "./server-part.ts";
import { shadowPart } from "./shadow/shadow-part.ts";
import { tablesPart } from "./tables/tables-part.ts";

/** A server that accepts requests. */
export interface RunningServer extends AsyncDisposable {
  readonly version: string;
  /** The absolute path of the data folder; undefined where the data is elsewhere. */
  readonly dataFolder: string | undefined;
  /** Where the data is, for people: the folder, or the place of the port that was given. */
  readonly storage: string;
  readonly listeners: readonly ListenerAddress[];
  /** Finishes the requests under way, within `stopGraceMs`, frees the ports and closes the folder. May be called twice. */
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
  const backend = await openBackend(resolved, servedTables(resolved));
  const parts: ServerPart[] = [];
  const closeAll = async () => {
    for (const part of parts) await part.close?.();
    await backend.close();
  };
  const addresses: ListenerAddress[] = [];
  const facts = { version: readVersion(), ...storageOf(resolved), listeners: addresses };
  try {
    for (const openPart of partsOf(resolved)) parts.push(await openPart(backend, resolved));
  } catch (error) {
    await closeAll();
    throw error;
  }
  const stop = await runListeners(listenersOf(facts, parts, resolved), {
    ...resolved,
    onListening(address) {
      addresses.push(address);
      if (address.name === "dynamodb") backend.engine?.announce(reachableUrl(address.url));
    },
    afterStop: closeAll,
  });
  return { ...facts, stop, [Symbol.asyncDispose]: stop };
}

type Facts = Pick<RunningServer, "version" | "dataFolder" | "storage" | "listeners">;
type OpenPart = (backend: Backend, options: ResolvedServerOptions) => ServerPart | Promise<ServerPart>;

function storageOf({ dataFolder, memory, port, portName }: ResolvedServerOptions) {
  if (port !== undefined) return { dataFolder: undefined, storage: portName };
  if (memory) return { dataFolder: undefined, storage: "in memory, gone at the end" };
  return { dataFolder, storage: dataFolder };
}

/** Everything that a server offers. A new part is a line here. */
function partsOf(options: ResolvedServerOptions): readonly OpenPart[] {
  return [...(options.dynamodb ? [dynamoDbPart] : []), journalPart, mailPart, shadowPart, tablesPart];
}

/** The HTTP listener, which the parts share, and those of their own. */
function listenersOf(
  facts: Facts,
  parts: readonly ServerPart[],
  { host, clock, logger, httpPort, users, corsOrigin }: ResolvedServerOptions,
): readonly Listener[] {
  const openApi = parts.flatMap((part) => part.openApi ?? []);
  const access = { signIn: users && basicAuth(passwordCheck(users)), corsOrigin };
  const open: RouteGroup = { access: "anybody", routes: [healthRoute(facts.version, clock)] };
  const own: RouteGroup = {
    access: "users",
    routes: [startPageRoute("/about", facts), openApiRoute(facts.version, openApi)],
  };
  // Where no part has a page of its own at the root.
  const root: RouteGroup = { access: "users", routes: [startPageRoute("/", facts)] };
  const groups = [open, own, ...parts.flatMap((part) => part.groups ?? []), root];
  return [
    httpListener({
      place: { listener: "http", host, port: httpPort, portFlag: "--http-port" },
      purpose: "web page and HTTP APIs",
      handle: routeRequests(groups, logger, access),
      upgrades: parts.flatMap((part) => part.upgrades ?? []),
      access,
      clock,
      logger,
    }),
    ...parts.flatMap((part) => part.listeners ?? []),
  ];
}

/** DynamoDB's own protocol on the data folder. */
function dynamoDbPart(
  { engine }: Backend,
  { host, clock, logger, accessKeys, dynamodbPort }: ResolvedServerOptions,
): ServerPart {
  if (engine === undefined) return {};
  const place = { listener: "dynamodb", host, port: dynamodbPort, portFlag: "--dynamodb-port" };
  return { listeners: [dynamoDbListener({ place, backend: engine, accessKeys, clock, logger })] };
}
