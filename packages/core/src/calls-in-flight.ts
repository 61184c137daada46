/**
 * Counts calls, so that closing can wait for them and reject later ones. A set of their promises would do that too, but the
 * tables that a changing set leaves behind keep settled promises and their outputs alive until a full garbage collection.
 *
 * @example
 * const calls = new CallsInFlight(() => new Error("closed"));
 * const answer = await calls.run(() => send(request));
 * await calls.close();
 */
export class CallsInFlight {
  readonly #closedError: () => Error;
  #count = 0;
  #isClosed = false;
  #whenNone: (() => void) | undefined;

  /** `closedError` makes the error of a call after `close`. */
  constructor(closedError: () => Error) {
    this.#closedError = closedError;
  }

  /** Runs a call, and counts it until it has ended. */
  async run<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw this.#closedError();
    this.#count++;
    try {
      return await call();
    } finally {
      this.#count--;
      if (this.#count === 0) this.#whenNone?.();
    }
  }

  /** Rejects further calls. Resolves once the last one has ended. Call it once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve;
    });
  }
}
