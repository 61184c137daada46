import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock, Logger } from "@tablekeep/core";
import { hostAndPort, type ListenPlace, listen } from "../listen.ts";
import type { Listener } from "../listener.ts";
import { defaultHttpLimits, type HttpLimits } from "./http-limits.ts";
import { type HttpHandler, sendJson } from "./http-route.ts";
import { namesThisServer, refuseForeignHost } from "./own-host.ts";

/** What an HTTP listener is made of. */
export interface HttpListenerOptions {
  readonly place: ListenPlace;
  readonly purpose: string;
  readonly handle: HttpHandler;
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
  let stopping = false;
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      keepAliveTimeout: limits.keepAliveMs,
    },
    (request, response) => {
      silentSockets.delete(request.socket);
      if (stopping) response.setHeader("connection", "close");
      response.once("close", () => stopping && server.closeIdleConnections());
      if (namesThisServer(request, place.host)) void answer(handle, request, response, logger);
      else refuseForeignHost(response);
    },
  );
  server.maxConnections = limits.connections;
  server.on("connection", (socket) => {
    silentSockets.add(socket);
    socket.once("close", () => silentSockets.delete(socket));
  });
  return {
    name: place.listener,
    purpose: options.purpose,
    async start() {
      const port = await listen(server, place);
      return `http://${hostAndPort(place.host, port)}/`;
    },
    stop(graceMs) {
      stopping = true;
      // Browsers open connections ahead of need, and Node does not count one as idle before its first request.
      for (const socket of silentSockets) if (socket.bytesRead === 0) socket.destroy();
      return closeWithin(server, graceMs, options.clock);
    },
  };
}

function closeWithin(server: Server, graceMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(graceMs, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function answer(
  handle: HttpHandler,
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): Promise<void> {
  try {
    await handle(request, response);
  } catch (error) {
    logger.error("a request failed", { method: request.method, error });
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, { error: "a fault of tablekeep itself" });
  }
}
