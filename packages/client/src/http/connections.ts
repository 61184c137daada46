import type { Dispatcher } from "undici";
import type { ConnectionSettings } from "./connection-pool.ts";
import { Exchange, type ExchangeSettings, type OutgoingRequest, PieceJoiner } from "./exchange.ts";
import { queueFull } from "./transport-failure.ts";

/** The connections to one host: a pool, and a queue of limited length for requests that find none free. */
export interface Connections {
  /**
   * Sends a request as soon as a connection is free, and returns what its `read` returns for the response. Throws `CLIENT_BUSY` if too many others
   * wait.
   */
  exchange<Output>(request: OutgoingRequest<Output>): Promise<Output>;
  /** Closes all connections. No exchange may be in flight. */
  close(): Promise<void>;
}

/** Prepares the connections. The first request loads undici, which takes too long for commands that never send one. */
export function createConnections(settings: ConnectionSettings): Connections {
  const { origin, pathname: path } = settings.url;
  const shared: ExchangeSettings = { ...settings, endpoint: origin, pieces: new PieceJoiner() };
  const waiting = new Set<Exchange<never>>();
  let pool: Dispatcher | undefined;
  let opening: Promise<void> | undefined;
  let free = settings.maxConnections;

  const send = (exchange: Exchange<never>, over: Dispatcher): void => {
    free--;
    exchange.send(over, origin, path);
  };
  const open = async (): Promise<void> => {
    try {
      const { createPool } = await import("./connection-pool.ts");
      pool = createPool(settings);
    } catch (error) {
      opening = undefined;
      for (const exchange of waiting) exchange.onError(error as Error);
      return;
    }
    for (const exchange of waiting) {
      if (free === 0) return;
      waiting.delete(exchange);
      send(exchange, pool);
    }
  };
  const release = (exchange: Exchange<never>): void => {
    if (waiting.delete(exchange)) return;
    free++;
    for (const next of waiting) {
      waiting.delete(next);
      send(next, pool as Dispatcher);
      return;
    }
  };

  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        // Until the pool is open, requests that will find a connection free wait too.
        if (waiting.size >= settings.maxWaiting + free) {
          reject(queueFull(origin, waiting.size));
          return;
        }
        const exchange = new Exchange(request, shared, {
          resolve,
          reject,
          release: () => release(exchange as never),
        });
        if (pool !== undefined && free > 0) {
          send(exchange as never, pool);
          return;
        }
        waiting.add(exchange as never);
        exchange.wait();
        if (pool === undefined) opening ??= open();
      }),
    async close() {
      await opening;
      await pool?.destroy();
    },
  };
}
