import type { Clock } from "@tablekeep/core";
import { Client, type Dispatcher } from "undici";

/**
 * A connection that is not used for longer than `lifeMs`: the first request after that is its last one, and the next
 * request finds a new one. (undici's own `clientTtl` leaves requests waiting for ever when it replaces a busy client.)
 */
export class AgingClient extends Client {
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
