import { type Clock, systemClock } from "@tablekeep/core";
import type { TextSink } from "./text-output.ts";

const redrawMs = 100;
/** Back to the begin of the line, and empty it. */
const clearLine = "\r\u001b[2K";

/** One line that tells how far long work has come, where a person looks at the output. */
export class Progress {
  readonly #sink: TextSink;
  readonly #clock: Clock;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(sink: TextSink, clock: Clock = systemClock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Shows a text, unless one was shown a moment ago. */
  show(text: () => string): void {
    if (this.#sink.isTTY !== true) return;
    const now = this.#clock.monotonic();
    if (now - this.#drawnAt < redrawMs) return;
    this.#drawnAt = now;
    this.#sink.write(`${clearLine}${text()}`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#drawnAt !== Number.NEGATIVE_INFINITY) this.#sink.write(clearLine);
  }
}

/** `1,234,567` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
