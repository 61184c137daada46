import { EngineError } from "./engine-error.ts";

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
