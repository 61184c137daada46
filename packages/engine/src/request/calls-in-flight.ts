import { EngineError } from "../engine-error.ts";

/** Counts calls, so that closing can wait for them and reject later ones. */
export class CallsInFlight {
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

  /** Rejects further calls. Resolves once the last one has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenNone = resolve;
    });
  }
}

/**
 * Runs one job at a time. For reads with large answers: each caller has used its answer before the next one is made.
 * If all were made at once they would be in memory together, and the garbage collector would take more time than the
 * engine.
 */
export class SequentialRunner {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    return result;
  }
}

function ignore(): void {}
