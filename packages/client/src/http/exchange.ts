import type { CancelTimer, Clock } from "@tablekeep/core";
import type { Dispatcher } from "undici";
import type { CallStage, ClientError } from "../base/client-error.ts";
import { abortedBy } from "../retry/deadline.ts";
import { connectTimedOut, cutByDeadline, silent, transportFailure } from "./transport-failure.ts";

/** An HTTP response, not yet decoded. */
export interface HttpResponse {
  readonly status: number;
  /** The bytes as received. The memory is reused for the next response. */
  readonly body: Buffer;
  readonly headers: ResponseHeaders;
}

/** The headers that are read. */
interface ResponseHeaders {
  /** `x-amz-crc32`: checksum of the body as sent, decimal. */
  readonly crc32?: string;
  /** `x-amzn-requestid` */
  readonly requestId?: string;
  readonly date?: string;
  readonly contentEncoding?: string;
}

const wanted: ReadonlyMap<string, keyof ResponseHeaders> = new Map([
  ["x-amz-crc32", "crc32"],
  ["x-amzn-requestid", "requestId"],
  ["date", "date"],
  ["content-encoding", "contentEncoding"],
]);

const wantedLengths: ReadonlySet<number> = new Set([...wanted.keys()].map((name) => name.length));

/** Picks these headers out of undici's list of names and values. */
function readHeaders(raw: readonly Buffer[]): ResponseHeaders {
  const headers: { -readonly [Name in keyof ResponseHeaders]: ResponseHeaders[Name] } = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as Buffer;
    if (!wantedLengths.has(name.length)) continue;
    const key = wanted.get(name.toString("latin1").toLowerCase());
    if (key !== undefined) headers[key] = (raw[i + 1] as Buffer).toString("latin1");
  }
  return headers;
}

/** Answers up to this long share one buffer; longer ones are rare, and get their own. */
const maxSharedBytes = 2 * 1024 * 1024;

/** Joins the pieces of a response. Reuses one buffer: copying is cheaper than allocating. */
export class PieceJoiner {
  #shared: Buffer = Buffer.alloc(0);

  /** Returns all bytes in a row. They are valid until the next call. */
  join(pieces: readonly Buffer[]): Buffer {
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined) return only;
    let length = 0;
    for (const piece of pieces) length += piece.length;
    if (length > maxSharedBytes) return Buffer.concat(pieces, length);
    if (length > this.#shared.length)
      this.#shared = Buffer.allocUnsafeSlow(Math.min(length * 2, maxSharedBytes));
    let at = 0;
    for (const piece of pieces) {
      this.#shared.set(piece, at);
      at += piece.length;
    }
    return this.#shared.subarray(0, length);
  }
}

/** One request, its time limits, and how its response is read. */
export interface OutgoingRequest<Output> {
  readonly body: Buffer;
  /** Returns the signed headers, at the moment of sending. */
  readonly headers: () => string[];
  /** Turns the response into an output. The memory of the response is reused once this has returned. */
  readonly read: (response: HttpResponse) => Output | PromiseLike<Output>;
  /** The moment of `clock.monotonic()` at which the call is over. */
  readonly endsAt: number;
  /** The deadline that `endsAt` comes from, for messages. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/** The shared state of all exchanges with an endpoint. */
export interface ExchangeSettings {
  readonly clock: Clock;
  /** For messages. */
  readonly endpoint: string;
  readonly connectTimeoutMs: number;
  readonly socketTimeoutMs: number;
  readonly pieces: PieceJoiner;
}

type Stage = Exclude<CallStage, "credentials"> | "over";

/** Thrown into undici to drop a request that has ended, without harm to its connection. */
const requestEnded = new Error("the request has ended");

/** The callbacks of an exchange. */
interface ExchangeEnd<Output> {
  readonly resolve: (output: Output | PromiseLike<Output>) => void;
  readonly reject: (error: unknown) => void;
  /** Called once, before the response is read: another request may use the connection. */
  readonly release: () => void;
}

/**
 * One request and its response, as undici's handler: `wait` for a connection if none is free, then `send`. Ends exactly once:
 * with what the request's `read` returns, or with an error whose `ambiguous` says whether the request had been handed to a
 * connection.
 *
 * The old handler methods are used: undici wraps the new ones around them and parses every header.
 */
export class Exchange<Output> implements Dispatcher.DispatchHandler {
  readonly #request: OutgoingRequest<Output>;
  readonly #settings: ExchangeSettings;
  #ends: ExchangeEnd<Output> | undefined;
  #cancelTimer: CancelTimer | undefined;
  #stage: Stage = "waiting";
  #lastActivity: number;
  #abort: ((reason?: Error) => void) | undefined;
  #status = 0;
  #rawHeaders: Buffer[] = [];
  #chunks: Buffer[] = [];

  constructor(request: OutgoingRequest<Output>, settings: ExchangeSettings, ends: ExchangeEnd<Output>) {
    this.#request = request;
    this.#settings = settings;
    this.#ends = ends;
    this.#lastActivity = settings.clock.monotonic();
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Starts the time of a request for which no connection is free yet. */
  wait(): void {
    this.#arm(this.#request.endsAt - this.#lastActivity);
  }

  /** Signs the request and sends it on the next connection of `dispatcher`. */
  send(dispatcher: Dispatcher, origin: string, path: string): void {
    const { body, headers } = this.#request;
    this.#connect();
    try {
      dispatcher.dispatch({ origin, path, method: "POST", headers: headers(), body, blocking: false }, this);
    } catch (error) {
      this.onError(error as Error);
    }
  }

  #connect(): void {
    const { clock, connectTimeoutMs, socketTimeoutMs } = this.#settings;
    this.#stage = "connecting";
    this.#lastActivity = clock.monotonic();
    this.#cancelTimer?.();
    this.#arm(Math.min(this.#request.endsAt - this.#lastActivity, connectTimeoutMs, socketTimeoutMs));
  }

  /** undici writes the request right after this. */
  onConnect(abort: (reason?: Error) => void): void {
    if (this.#stage === "over") throw requestEnded;
    this.#stage = "sent";
    this.#abort = abort;
    this.#lastActivity = this.#settings.clock.monotonic();
  }

  onHeaders(status: number, rawHeaders: Buffer[]): boolean {
    this.#status = status;
    this.#rawHeaders = rawHeaders;
    this.#lastActivity = this.#settings.clock.monotonic();
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#lastActivity = this.#settings.clock.monotonic();
    return true;
  }

  onComplete(): void {
    const body = this.#settings.pieces.join(this.#chunks);
    this.#end(undefined, { status: this.#status, body, headers: readHeaders(this.#rawHeaders) });
  }

  onError(error: Error): void {
    this.#end(transportFailure(error, this.#settings.endpoint, this.#stage === "sent"));
  }

  #onAbort = (): void => {
    const { signal } = this.#request;
    if (signal !== undefined) this.#giveUp(abortedBy(signal, 1, this.#stage === "sent"));
  };

  /** One timer serves all limits: it is set again for the next limit that may be reached. */
  #onTimer = (): void => {
    const now = this.#settings.clock.monotonic();
    const request = this.#request;
    if (this.#stage === "over") return;
    const sent = this.#stage === "sent";
    if (now >= request.endsAt) {
      this.#giveUp(cutByDeadline(request.deadlineMs, this.#stage));
      return;
    }
    const limitMs = this.#limitMs();
    const quietMs = now - this.#lastActivity;
    if (quietMs < limitMs) this.#arm(Math.min(request.endsAt - now, limitMs - quietMs));
    else this.#giveUp(sent ? silent(this.#settings, limitMs) : connectTimedOut(this.#settings));
  };

  #limitMs(): number {
    if (this.#stage === "waiting") return Number.POSITIVE_INFINITY;
    return this.#stage === "sent" ? this.#settings.socketTimeoutMs : this.#settings.connectTimeoutMs;
  }

  #arm(ms: number): void {
    this.#cancelTimer = this.#settings.clock.after(Math.max(1, Math.ceil(ms)), this.#onTimer);
  }

  #giveUp(failure: ClientError): void {
    const abort = this.#abort;
    this.#end(failure);
    abort?.(requestEnded);
  }

  #end(failure: ClientError | undefined, response?: HttpResponse): void {
    if (this.#stage === "over") return;
    this.#stage = "over";
    this.#abort = undefined;
    this.#chunks = [];
    this.#cancelTimer?.();
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
    const ends = this.#ends;
    // undici may keep this handler for a while; it must not keep the response alive.
    this.#ends = undefined;
    ends?.release();
    if (response === undefined) {
      ends?.reject(failure);
      return;
    }
    try {
      ends?.resolve(this.#request.read(response));
    } catch (error) {
      ends?.reject(error);
    }
  }
}
