/**
 * Counts calls, so that closing can wait for them. A set of their promises would do that too, but the tables that a changing
 * set leaves behind keep settled promises and their outputs alive until a full garbage collection.
 */
export class CallsInFlight {
  #count = 0;
  #whenNone: (() => void) | undefined;

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#count === 0) this.#whenNone?.();
  }

  /** Resolves once none is in flight. To be called once, after the last `begin`. */
  async ended(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve;
    });
  }
}
