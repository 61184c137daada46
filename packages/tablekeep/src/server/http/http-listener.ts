import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock, Logger } from "@tablekeep/core";
import type { Certificate } from "../certificate.ts";
import { hostAndPort, type ListenPlace, listen } from "../listen.ts";
import type { Listener } from "../listener.ts";
import type { HttpAccess } from "./http-access.ts";
import { defaultHttpLimits, type HttpLimits } from "./http-limits.ts";
import type { HttpHandler } from "./http-route.ts";
import { faultText, logFault } from "./log-fault.ts";
import { namesThisServer, refuseForeignHost } from "./own-host.ts";
import { sendJson } from "./send-json.ts";
import { type UpgradeRoute, upgradeRequest } from "./upgrade-route.ts";
import { putBack, wantsWebSocket } from "./without-upgrade.ts";

/** What an HTTP listener is made of. */
export interface HttpListenerOptions {
  readonly place: ListenPlace;
  readonly purpose: string;
  readonly handle: HttpHandler;
  /** With it the listener speaks HTTPS. @default none: HTTP */
  readonly certificate?: Certificate | undefined;
  /** What takes over connections that leave HTTP. @default nothing */
  readonly upgrades?: readonly UpgradeRoute[];
  /** Who may leave HTTP. @default anybody */
  readonly access?: HttpAccess;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits other than the usual ones. @default none */
  readonly limits?: Partial<HttpLimits>;
}

/** HTTP on one port. Stopping it finishes the requests under way and drops connections that wait for none. */
export function httpListener(options: HttpListenerOptions): Listener {
  const { handle, logger, place } = options;
  const limits: HttpLimits = { ...defaultHttpLimits, ...options.limits };
  const silentSockets = new Set<Socket>();
  const upgradedSockets = new Set<Duplex>();
  const stopping = new AbortController();
  // One listener for each stream that is open.
  setMaxListeners(0, stopping.signal);
  const server = serverWith(limits, options.certificate, (request, response) => {
    silentSockets.delete(request.socket);
    if (stopping.signal.aborted) response.setHeader("connection", "close");
    response.once("close", () => stopping.signal.aborted && server.closeIdleConnections());
    if (namesThisServer(request, place.host)) void answer(request, response);
    else refuseForeignHost(response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await handle(request, response, stopping.signal);
    } catch (error) {
      logFault(logger, { request, response }, error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: faultText });
    }
  };
  server.maxConnections = limits.connections;
  server.on("connection", (socket) => {
    silentSockets.add(socket);
    socket.once("close", () => silentSockets.delete(socket));
  });
  serveUpgrades(server, options, stopping.signal, (request, socket) => {
    silentSockets.delete(request.socket);
    upgradedSockets.add(socket);
    socket.once("close", () => upgradedSockets.delete(socket));
  });
  return {
    name: place.listener,
    server,
    purpose: options.purpose,
    async start() {
      const port = await listen(server, place);
      return `${options.certificate === undefined ? "http" : "https"}://${hostAndPort(place.host, port)}/`;
    },
    stop(graceMs) {
      stopping.abort(new Error("the server stops"));
      // Browsers open connections ahead of need, and Node does not count one as idle before its first request.
      for (const socket of silentSockets) if (socket.bytesRead === 0) socket.destroy();
      return closeWithin(server, [silentSockets, upgradedSockets], graceMs, options.clock);
    },
  };
}

/** Gives connections that leave HTTP to what takes them over. */
function serveUpgrades(
  server: Server,
  { upgrades = [], access = {}, place: { host }, certificate }: HttpListenerOptions,
  stopping: AbortSignal,
  onUpgrade: (request: IncomingMessage, socket: Duplex) => void,
): void {
  if (upgrades.length === 0) return;
  server.on("upgrade", (request, socket, head) => {
    if (!wantsWebSocket(request)) {
      putBack(request, socket, head);
      server.emit(certificate === undefined ? "connection" : "secureConnection", socket);
      return;
    }
    onUpgrade(request, socket);
    void upgradeRequest(upgrades, { request, socket, head, stopping, host, access });
  });
}

function serverWith(
  limits: HttpLimits,
  certificate: Certificate | undefined,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const times = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.checkEveryMs,
    keepAliveTimeout: limits.keepAliveMs,
  };
  if (certificate === undefined) return createServer(times, onRequest);
  const { key, cert } = certificate;
  const handshakeTimeout = limits.headersTimeoutMs;
  return createSecureServer({ ...times, key, cert, minVersion: "TLSv1.2", handshakeTimeout }, onRequest);
}

function closeWithin(
  server: Server,
  others: readonly ReadonlySet<Duplex>[],
  graceMs: number,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(graceMs, () => {
      server.closeAllConnections();
      // Node counts what left HTTP, and what TLS is not done with, among the open ones, and does not close them with the others.
      for (const sockets of others) for (const socket of sockets) socket.destroy();
    });
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
