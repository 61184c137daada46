import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock, Logger } from "@tablekeep/core";
import { hostAndPort, type Listener, type ListenTarget, listen } from "../listening/listener.ts";
import type { Certificate } from "../options/option-checks.ts";
import { type HttpAccess, namesThisServer, rejectForeignHost } from "./http-access.ts";
import { HttpError, type HttpHandler } from "./http-route.ts";
import { internalErrorText, logUnexpected, sendJson } from "./responses.ts";
import { replayWithoutUpgrade, type UpgradeRoute, upgradeRequest, wantsWebSocket } from "./upgrades.ts";

/** Limits that protect a listener against slow clients and too many clients. */
export interface HttpLimits {
  /** Milliseconds for the headers of a request; a client that is slower is cut off. */
  readonly headersTimeoutMs: number;
  /** Milliseconds for a whole request. */
  readonly requestTimeoutMs: number;
  /** Interval at which the two timeouts above are checked, in milliseconds. */
  readonly checkEveryMs: number;
  /**
   * Milliseconds that a connection without a request is kept. SDKs keep connections for a minute or two (Go 90 seconds,
   * Java and .NET 60) and reuse them without a check. A connection that closes at that moment fails a request, and
   * leaves the outcome of a write unknown: so clients close connections, never the server.
   */
  readonly keepAliveMs: number;
  /** Concurrent connections; further ones are closed at once. */
  readonly connections: number;
}

const defaultHttpLimits: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  checkEveryMs: 5_000,
  keepAliveMs: 5 * 60_000,
  connections: 1_000,
};

/** Options of an HTTP listener. */
export interface HttpListenerOptions {
  readonly target: ListenTarget;
  readonly purpose: string;
  readonly handle: HttpHandler;
  /** The certificate for HTTPS. @default none: HTTP */
  readonly certificate?: Certificate;
  /** Handlers of upgraded connections. @default none */
  readonly upgrades?: readonly UpgradeRoute[];
  /** Access that is required to upgrade a connection. @default none */
  readonly access?: HttpAccess;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits that differ from the defaults. @default none */
  readonly limits?: Partial<HttpLimits>;
}

/** HTTP on one port. Stopping it finishes the requests in flight and closes idle connections. */
export function httpListener(options: HttpListenerOptions): Listener {
  const { handle, logger, target } = options;
  const limits: HttpLimits = { ...defaultHttpLimits, ...options.limits };
  const silentSockets = new Set<Socket>();
  const upgradedSockets = new Set<Duplex>();
  const stopping = new AbortController();
  // One listener for each stream that is open.
  setMaxListeners(0, stopping.signal);
  const inTurn = oneAtATime();
  const server = serverWith(limits, options.certificate, (request, response) => {
    silentSockets.delete(request.socket);
    if (stopping.signal.aborted) response.setHeader("connection", "close");
    response.once("close", () => stopping.signal.aborted && server.closeIdleConnections());
    if (namesThisServer(request, target.host))
      inTurn(request, response, () => void answer(request, response));
    else rejectForeignHost(response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await handle(request, response, stopping.signal);
    } catch (error) {
      logUnexpected(logger, { request, response }, error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: internalErrorText });
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
    name: target.listener,
    server,
    purpose: options.purpose,
    async start() {
      const port = await listen(server, target);
      return `${options.certificate === undefined ? "http" : "https"}://${hostAndPort(target.host, port)}/`;
    },
    stop(graceMs) {
      // The response to a request that is waiting for something: it may be repeated elsewhere, or later.
      stopping.abort(new HttpError(503, "the server is stopping", { "retry-after": "1" }));
      // Browsers open connections in advance, and Node does not count one as idle before its first request.
      for (const socket of silentSockets) if (socket.bytesRead === 0) socket.destroy();
      return closeWithin(server, [silentSockets, upgradedSockets], graceMs, options.clock);
    },
  };
}

/**
 * Makes requests of one connection wait until the response before theirs is sent. Node starts all requests that arrive
 * together: a client that sends many and reads nothing would make the server keep all of their responses.
 */
function oneAtATime() {
  const lastOf = new WeakMap<Socket, Promise<void>>();
  return ({ socket }: IncomingMessage, response: ServerResponse, start: () => void): void => {
    const previous = lastOf.get(socket);
    const sent = new Promise<void>((resolve) => {
      response.once("close", () => {
        if (lastOf.get(socket) === sent) lastOf.delete(socket);
        resolve();
      });
    });
    lastOf.set(socket, sent);
    if (previous === undefined) start();
    else void previous.then(() => socket.destroyed || start());
  };
}

/** Passes upgraded connections to their handlers. */
function serveUpgrades(
  server: Server,
  { upgrades = [], access = {}, target: { host }, certificate, logger }: HttpListenerOptions,
  stopping: AbortSignal,
  onUpgrade: (request: IncomingMessage, socket: Duplex) => void,
): void {
  if (upgrades.length === 0) return;
  server.on("upgrade", (request, socket, head) => {
    if (!wantsWebSocket(request)) {
      replayWithoutUpgrade(request, socket, head);
      server.emit(certificate === undefined ? "connection" : "secureConnection", socket);
      return;
    }
    onUpgrade(request, socket);
    void upgradeRequest(upgrades, { request, socket, head, stopping, host, access, logger });
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
      // Node counts upgraded connections and unfinished TLS handshakes as open, and does not close them with the others.
      for (const sockets of others) for (const socket of sockets) socket.destroy();
    });
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
