import { EngineError } from "../engine-error.ts";

/** Counts calls, so that closing can wait for them and refuse those that come later. */
export class CallsUnderWay {
  #count = 0;
  #closed = false;
  #whenNone: (() => void) | undefined;

  /** Runs a call, unless the engine is closed. */
  async run<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new EngineError("ENGINE_CLOSED", "the engine is closed: open it again", {});
    this.#count++;
    try {
      return await call();
    } finally {
      this.#count--;
      if (this.#count === 0) this.#whenNone?.();
    }
  }

  /** Lets no more calls in. Resolves once the last has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve;
    });
  }
}

/**
 * Runs works one after the other. For reads with large answers: each caller has used up its answer before the next one
 * is made. Made all at once they would be alive together, and the collector would spend more time on them than we do.
 */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    return result;
  }
}

function ignore(): void {}
