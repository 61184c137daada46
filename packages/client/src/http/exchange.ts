import type { CancelTimer, Clock } from "@tablekeep/core";
import type { Dispatcher } from "undici";
import type { ClientError } from "../client-error.ts";
import { abortedBy } from "../retry/deadline.ts";
import { type Answer, readHeaders } from "./answer.ts";
import type { PieceJoiner } from "./piece-joiner.ts";
import { connectTimedOut, cutByDeadline, silent, transportFailure } from "./transport-failure.ts";

/** One request on its way, and how long it may take. */
export interface OutgoingRequest {
  readonly body: Buffer;
  /** Gives the signed headers, at the moment of sending. */
  readonly headers: () => string[];
  /** The moment of `clock.monotonic()` at which the call is over. */
  readonly endsAt: number;
  /** The deadline that `endsAt` comes from, for people. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What all exchanges with an endpoint share. */
export interface ExchangeSettings {
  readonly clock: Clock;
  /** For people. */
  readonly endpoint: string;
  readonly connectTimeoutMs: number;
  readonly socketTimeoutMs: number;
  readonly pieces: PieceJoiner;
}

type Stage = "waiting" | "connecting" | "sent" | "over";

/** Node takes no longer timer than this. */
const longestTimerMs = 2 ** 31 - 1;

/** Thrown into undici to drop a request that nobody waits for any more, without harm to its connection. */
const nobodyWaits = new Error("the call is over");

/**
 * One request and its answer, as undici's handler. It ends exactly once: with the answer, or with an error whose
 * `ambiguous` says whether the request had been handed to a connection.
 *
 * The old handler methods are used: undici wraps the new ones around them and parses every header.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly request: OutgoingRequest;
  readonly #settings: ExchangeSettings;
  #ended: ((failure: ClientError | undefined, answer: Answer | undefined) => void) | undefined;
  #cancelTimer: CancelTimer | undefined;
  #stage: Stage = "waiting";
  #lastActivity: number;
  #abort: ((reason?: Error) => void) | undefined;
  #status = 0;
  #rawHeaders: Buffer[] = [];
  #chunks: Buffer[] = [];

  constructor(
    request: OutgoingRequest,
    settings: ExchangeSettings,
    ended: (failure: ClientError | undefined, answer: Answer | undefined) => void,
  ) {
    this.request = request;
    this.#settings = settings;
    this.#ended = ended;
    this.#lastActivity = settings.clock.monotonic();
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** There is no free connection yet. */
  wait(): void {
    this.#arm(this.request.endsAt - this.#lastActivity);
  }

  /** A connection is being looked for from now on. */
  start(): void {
    const { clock, connectTimeoutMs, socketTimeoutMs } = this.#settings;
    this.#stage = "connecting";
    this.#lastActivity = clock.monotonic();
    this.#cancelTimer?.();
    this.#arm(Math.min(this.request.endsAt - this.#lastActivity, connectTimeoutMs, socketTimeoutMs));
  }

  /** undici writes the request right after this. */
  onConnect(abort: (reason?: Error) => void): void {
    if (this.#stage === "over") throw nobodyWaits;
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
    const { signal } = this.request;
    if (signal !== undefined) this.#giveUp(abortedBy(signal, 1, this.#stage === "sent"));
  };

  /** One timer serves all limits: it looks again when the next of them may be reached. */
  #onTimer = (): void => {
    const now = this.#settings.clock.monotonic();
    const { request } = this;
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
    const waitMs = Math.min(Math.max(1, Math.ceil(ms)), longestTimerMs);
    this.#cancelTimer = this.#settings.clock.after(waitMs, this.#onTimer);
  }

  #giveUp(failure: ClientError): void {
    const abort = this.#abort;
    this.#end(failure);
    abort?.(nobodyWaits);
  }

  #end(failure: ClientError | undefined, answer?: Answer): void {
    if (this.#stage === "over") return;
    this.#stage = "over";
    this.#abort = undefined;
    this.#chunks = [];
    this.#cancelTimer?.();
    this.request.signal?.removeEventListener("abort", this.#onAbort);
    const ended = this.#ended;
    // Whoever still holds the exchange does not hold the answer.
    this.#ended = undefined;
    ended?.(failure, answer);
  }
}
