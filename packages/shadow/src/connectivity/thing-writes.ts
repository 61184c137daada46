import { OperationRetries, startOperation } from "@tablekeep/client";
import { type CallOptions, type Clock, type DynamoPort, isTablekeepError } from "@tablekeep/core";

/** The maximum number of waiting writes. Further ones are dropped. */
const maxWaiting = 20_000;
const parallel = 16;

/** Stores something about a thing. Rejects if that failed. */
export type ThingWrite = (call: CallOptions) => Promise<number | undefined>;

/** Dependencies of the writes. */
export interface ThingWritesOptions {
  readonly port: DynamoPort;
  readonly clock: Clock;
  /** Aborted when the log closes: no write is retried after that. */
  readonly signal: AbortSignal;
  /** Called with each error. */
  readonly onError: (error: unknown) => void;
  /** Called when a write was dropped, or has failed permanently. */
  readonly onLost: () => void;
}

/** Runs the writes of each thing in order, a limited number of them at a time, and retries those that fail. */
export class ThingWrites {
  readonly #options: ThingWritesOptions;
  /** The last write of each thing. */
  readonly #last = new Map<string, Promise<unknown>>();
  /** Starts the next write. */
  readonly #free: (() => void)[] = [];
  #running = 0;
  #waiting = 0;

  constructor(options: ThingWritesOptions) {
    this.#options = options;
  }

  /** The number of running and waiting writes. */
  get size(): number {
    return this.#waiting;
  }

  /** Runs a write after the earlier ones of its thing. Never rejects. */
  add(thing: string, write: ThingWrite): Promise<number | undefined> {
    if (this.#waiting >= maxWaiting) {
      this.#options.onLost();
      return Promise.resolve(undefined);
    }
    this.#waiting++;
    const own = (this.#last.get(thing) ?? Promise.resolve()).then(() => this.#inTurn(write));
    this.#last.set(thing, own);
    return own.finally(() => {
      this.#waiting--;
      if (this.#last.get(thing) === own) this.#last.delete(thing);
    });
  }

  /** Resolves once all writes so far have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }

  async #inTurn(write: ThingWrite): Promise<number | undefined> {
    if (this.#running >= parallel) await new Promise<void>((resolve) => this.#free.push(resolve));
    this.#running++;
    try {
      return await this.#untilStored(write);
    } finally {
      this.#running--;
      this.#free.shift()?.();
    }
  }

  async #untilStored(write: ThingWrite): Promise<number | undefined> {
    const { port, clock, signal, onError, onLost } = this.#options;
    const retries = new OperationRetries(port, startOperation({ clock, signal }));
    for (;;) {
      try {
        // Closing waits for a request in flight.
        const stored = await write({ ...retries.callOptions(), signal: undefined });
        retries.succeeded();
        return stored;
      } catch (error) {
        onError(error);
        const mayPass = isTablekeepError(error) && (error.retryable || error.ambiguous);
        if (mayPass && (await retries.wait(error))) continue;
      }
      if (!signal.aborted) onLost();
      return undefined;
    }
  }
}
