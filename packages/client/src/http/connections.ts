import type { Clock } from "@tablekeep/core";
import { Client, type Dispatcher, Pool, ProxyAgent } from "undici";
import { Exchange, type ExchangeSettings, type OutgoingRequest, PieceJoiner } from "./exchange.ts";

/** The connection settings of one host. */
interface ConnectionSettings {
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

/** The connections to one host: a pool, and a queue of requests for which none is free. */
export interface Connections {
  /** Sends a request as soon as a connection is free, and returns what its `read` returns for the response. */
  exchange<Output>(request: OutgoingRequest<Output>): Promise<Output>;
  /** Closes all connections. No exchange may be in flight. */
  close(): Promise<void>;
}

/** An answer holds at most 16 MB of items; their JSON may be several times as long. */
const maxAnswerBytes = 128 * 1024 * 1024;

/** Creates the pool. Connections are opened as they are needed. */
export function createConnections(settings: ConnectionSettings): Connections {
  const { origin, pathname: path } = settings.url;
  const dispatcher =
    settings.proxy === undefined ? directPool(settings) : proxyPool(settings, settings.proxy);
  const shared: ExchangeSettings = { ...settings, endpoint: origin, pieces: new PieceJoiner() };
  const waiting = new Set<Exchange<never>>();
  let free = settings.maxConnections;

  const send = (exchange: Exchange<never>): void => {
    free--;
    exchange.send(dispatcher, origin, path);
  };
  const release = (exchange: Exchange<never>): void => {
    if (waiting.delete(exchange)) return;
    free++;
    for (const next of waiting) {
      waiting.delete(next);
      send(next);
      return;
    }
  };

  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        const exchange = new Exchange(request, shared, {
          resolve,
          reject,
          release: () => release(exchange as never),
        });
        if (free > 0) {
          send(exchange as never);
        } else {
          waiting.add(exchange as never);
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

/**
 * A connection that is not used for longer than `lifeMs`: the first request after that is its last one, and the next
 * request finds a new one. (undici's own `clientTtl` leaves requests waiting forever when it replaces a busy client.)
 */
class AgingClient extends Client {
  readonly #clock: Clock;
  readonly #lifeMs: number;
  #connectedAt = Number.POSITIVE_INFINITY;

  constructor(origin: URL, options: object, clock: Clock, lifeMs: number) {
    super(origin, options);
    this.#clock = clock;
    this.#lifeMs = lifeMs;
    this.on("connect", () => {
      this.#connectedAt = clock.monotonic();
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const isOld = this.#clock.monotonic() - this.#connectedAt >= this.#lifeMs;
    return super.dispatch(isOld ? { ...options, reset: true } : options, handler);
  }
}
