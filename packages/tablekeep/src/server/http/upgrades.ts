import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "@tablekeep/core";
import { authorize, type HttpAccess, namesThisServer, rejectForeignOrigin } from "./http-access.ts";
import { type AccessPolicy, HttpError } from "./http-route.ts";

/** Whether a request asks for a web socket. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return /(^|[\s,])websocket\s*(,|$)/i.test(headers.upgrade ?? "");
}

/** Headers that belong to the upgrade offer, or to its connection. */
const ofConnection: ReadonlySet<string> = new Set(["upgrade", "http2-settings", "connection"]);

/**
 * Puts a request back into its connection, without the upgrade offer. An offer does not require an upgrade:
 * Java's HttpClient and `curl --http2` offer HTTP/2 with any request. Node accepts every offer as soon as web sockets are
 * served, and emits no ordinary request. The connection closes after the response, so that this happens once per connection.
 */
export function replayWithoutUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!ofConnection.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  lines.push("connection: close", "", "");
  socket.unshift(Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), head]));
}

/** The handler of an upgraded connection: a web socket. */
export interface UpgradeRoute extends AccessPolicy {
  /** `:name` matches one segment. */
  readonly path: string;
  /** Serves the connection, and closes it soon after `stopping` is aborted. */
  readonly serve: (connection: UpgradedConnection) => void;
}

/** A connection that a client has asked to upgrade. */
export interface UpgradedConnection {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The first bytes that follow the request. */
  readonly head: Buffer;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** The authenticated user; undefined without authentication. */
  readonly user?: string;
}

/** Passes a connection to its route, or rejects it with an HTTP response and closes it. */
export async function upgradeRequest(
  routes: readonly UpgradeRoute[],
  { request, socket, head, stopping, host, access, logger }: UpgradeRequest,
): Promise<void> {
  socket.on("error", () => socket.destroy());
  try {
    const path = (request.url ?? "/").replace(/[?#].*$/s, "");
    const route = routes.find((each) => isAt(path, each.path));
    if (route === undefined) throw new HttpError(404, "no WebSocket at this path");
    if (!namesThisServer(request, host)) throw new HttpError(403, "the Host header names another server");
    // A web socket is a GET that a page of another site can read.
    rejectForeignOrigin(request, route.corsOrigin);
    const user = await authorize(request, route, access);
    route.serve({ request, socket, head, stopping, ...(user !== undefined && { user }) });
  } catch (error) {
    if (!(error instanceof HttpError)) logger.error("upgrade failed", { error });
    const { status, headers } = error instanceof HttpError ? error : new HttpError(500, "");
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} -\r\nconnection: close\r\ncontent-length: 0\r\n${lines.join("")}\r\n`);
  }
}

function isAt(path: string, pattern: string): boolean {
  const parts = pattern.split("/");
  const given = path.split("/");
  return (
    parts.length === given.length &&
    parts.every((part, at) => part === given[at] || (part.startsWith(":") && given[at] !== ""))
  );
}

/** One upgrade request. */
export interface UpgradeRequest extends Omit<UpgradedConnection, "user"> {
  /** The address that the listener is bound to. */
  readonly host: string;
  readonly access: HttpAccess;
  readonly logger: Logger;
}
