import type { Clock } from "@tablekeep/core";
import { Client, type Dispatcher, Pool, ProxyAgent } from "undici";

/** The connection settings of one host. */
export interface ConnectionSettings {
  readonly url: URL;
  readonly clock: Clock;
  readonly maxConnections: number;
  /** Requests that may wait for a connection. */
  readonly maxWaiting: number;
  readonly connectTimeoutMs: number;
  readonly socketTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly connectionLifeMs: number | undefined;
  readonly localAddress: string | undefined;
  readonly proxy: URL | undefined;
  readonly tlsCa: string | readonly string[] | undefined;
  readonly tlsInsecure: boolean;
}

/** A response holds at most 16 MB of items; their JSON may be several times as long. */
const maxAnswerBytes = 128 * 1024 * 1024;

/** Creates the pool of connections to one host. They are opened as they are needed. */
export function createPool(settings: ConnectionSettings): Dispatcher {
  return settings.proxy === undefined ? directPool(settings) : proxyPool(settings, settings.proxy);
}

function poolOptions(settings: ConnectionSettings): Pool.Options {
  const { clock, connectionLifeMs } = settings;
  return {
    ...(connectionLifeMs !== undefined && {
      factory: (origin: URL, options: object) => new AgingClient(origin, options, clock, connectionLifeMs),
    }),
    connections: settings.maxConnections,
    // With pipelining, a failed request could make the writes behind it ambiguous.
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
