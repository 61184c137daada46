/**
 * Counts calls, so that closing can wait for them. A set of their promises would do that, too; but the tables that a set
 * leaves behind as it changes keep promises that are over, and their answers, alive until all memory is looked through.
 */
export class CallsUnderWay {
  #count = 0;
  #whenNone: (() => void) | undefined;

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#count === 0) this.#whenNone?.();
  }

  /** Resolves once none is under way. To be called once, after the last `begin`. */
  async ended(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve;
    });
  }
}
