import type { Clock } from "@tablekeep/core";
import { type Dispatcher, Pool, ProxyAgent } from "undici";
import { AgingClient } from "./aging-client.ts";
import type { Answer } from "./answer.ts";
import { Exchange, type ExchangeSettings, type OutgoingRequest } from "./exchange.ts";
import { PieceJoiner } from "./piece-joiner.ts";

/** How to reach one host. */
export interface ConnectionSettings {
  readonly url: URL;
  readonly clock: Clock;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly socketTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly connectionLifeMs: number | undefined;
  readonly localAddress: string | undefined;
  readonly proxy: URL | undefined;
  readonly tlsCa: string | readonly string[] | undefined;
  readonly tlsInsecure: boolean;
}

/** The connections to one host. */
export interface Connections {
  /**
   * Sends a request as soon as a connection is free, and gives what `read` makes of the answer. The bytes of the answer
   * are there until `read` returns.
   */
  exchange<Output>(
    request: OutgoingRequest,
    read: (answer: Answer) => Output | PromiseLike<Output>,
  ): Promise<Output>;
  /** Ends all connections. No exchange may be under way. */
  close(): Promise<void>;
}

/** An answer holds at most 16 MB of items; their JSON may be several times as long. */
const maxAnswerBytes = 128 * 1024 * 1024;

/** Opens nothing yet: connections are made as they are needed. */
export function createConnections(settings: ConnectionSettings): Connections {
  const { origin, pathname: path } = settings.url;
  const dispatcher =
    settings.proxy === undefined ? directPool(settings) : proxyPool(settings, settings.proxy);
  const shared: ExchangeSettings = { ...settings, endpoint: origin, pieces: new PieceJoiner() };
  const waiting = new Set<Exchange>();
  let free = settings.maxConnections;

  const begin = (exchange: Exchange): void => {
    free--;
    exchange.start();
    const { body, headers } = exchange.request;
    try {
      dispatcher.dispatch(
        { origin, path, method: "POST", headers: headers(), body, blocking: false },
        exchange,
      );
    } catch (error) {
      exchange.onError(error as Error);
    }
  };

  const ended = (exchange: Exchange): void => {
    if (waiting.delete(exchange)) return;
    free++;
    for (const next of waiting) {
      waiting.delete(next);
      begin(next);
      return;
    }
  };

  return {
    exchange: (request, read) =>
      new Promise((resolve, reject) => {
        const exchange = new Exchange(request, shared, (failure, answer) => {
          ended(exchange);
          try {
            if (answer === undefined) reject(failure);
            else resolve(read(answer));
          } catch (error) {
            reject(error);
          }
        });
        if (free > 0) {
          begin(exchange);
        } else {
          waiting.add(exchange);
          exchange.wait();
        }
      }),
    close: () => dispatcher.destroy(),
  };
}

function poolOptions(settings: ConnectionSettings): Pool.Options {
  const { clock, connectionLifeMs } = settings;
  return {
    ...(connectionLifeMs !== undefined && {
      factory: (origin: URL, options: object) => new AgingClient(origin, options, clock, connectionLifeMs),
    }),
    connections: settings.maxConnections,
    // Pipelining would tie the fate of one write to another's connection.
    pipelining: 1,
    keepAliveTimeout: settings.keepAliveMs,
    keepAliveMaxTimeout: settings.keepAliveMs,
    // The exchange keeps its own, exact time.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: maxAnswerBytes,
  };
}

function tlsOptions(settings: ConnectionSettings): { ca?: string[]; rejectUnauthorized?: false } {
  return {
    ...(settings.tlsCa === undefined ? {} : { ca: [settings.tlsCa].flat() }),
    ...(settings.tlsInsecure ? { rejectUnauthorized: false } : {}),
  };
}

function directPool(settings: ConnectionSettings): Dispatcher {
  const { localAddress } = settings;
  return new Pool(settings.url.origin, {
    ...poolOptions(settings),
    ...(localAddress === undefined ? {} : { localAddress }),
    connect: { timeout: settings.connectTimeoutMs, ...tlsOptions(settings) },
  });
}

function proxyPool(settings: ConnectionSettings, proxy: URL): Dispatcher {
  const { username, password } = proxy;
  const { localAddress, connectTimeoutMs: timeout } = settings;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new ProxyAgent({
    factory: (origin, options: object) => new Pool(origin, { ...options, ...poolOptions(settings) }),
    uri: proxy.origin,
    ...(username === "" ? {} : { token: `Basic ${Buffer.from(user).toString("base64")}` }),
    requestTls: { timeout, ...tlsOptions(settings) },
    proxyTls: { timeout, ...(localAddress === undefined ? {} : { localAddress }) },
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: timeout }),
  });
}
