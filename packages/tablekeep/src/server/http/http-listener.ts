import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock, Logger } from "@tablekeep/core";
import { hostAndPort, type ListenPlace, listen } from "../listen.ts";
import type { Listener } from "../listener.ts";
import { type HttpHandler, type HttpRoute, routeRequests, sendJson } from "./http-route.ts";

/** What an HTTP listener is made of. */
export interface HttpListenerOptions {
  readonly place: ListenPlace;
  readonly purpose: string;
  readonly routes: readonly HttpRoute[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A client that sends its headers or its request slower than this is cut off, and so is connection 1,001. */
const limits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  checkEveryMs: 5_000,
  connections: 1_000,
};

/** HTTP on one port. Stopping it finishes the requests under way and drops connections that wait for none. */
export function httpListener(options: HttpListenerOptions): Listener {
  const handle = routeRequests(options.routes);
  const silentSockets = new Set<Socket>();
  let stopping = false;
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    (request, response) => {
      silentSockets.delete(request.socket);
      if (stopping) response.setHeader("connection", "close");
      response.once("close", () => stopping && server.closeIdleConnections());
      void answer(handle, request, response, options.logger);
    },
  );
  server.maxConnections = limits.connections;
  server.on("connection", (socket) => {
    silentSockets.add(socket);
    socket.once("close", () => silentSockets.delete(socket));
  });
  return {
    name: options.place.listener,
    purpose: options.purpose,
    async start() {
      const port = await listen(server, options.place);
      return `http://${hostAndPort(options.place.host, port)}/`;
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
