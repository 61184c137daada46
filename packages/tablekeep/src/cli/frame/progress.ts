import { type Clock, systemClock } from "@tablekeep/core";
import type { TextSink } from "./text-output.ts";

const redrawMs = 100;
/** Returns to the start of the line and clears it. */
const clearLine = "\r\u001b[2K";

/** A progress line for long work, shown only on a terminal. */
export class Progress {
  readonly #sink: TextSink;
  readonly #clock: Clock;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(sink: TextSink, clock: Clock = systemClock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Shows a string, unless another one was shown a moment ago. */
  show(text: () => string): void {
    if (this.#sink.isTTY !== true) return;
    const now = this.#clock.monotonic();
    if (now - this.#drawnAt < redrawMs) return;
    this.#drawnAt = now;
    this.#sink.write(`${clearLine}${text()}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#drawnAt !== Number.NEGATIVE_INFINITY) this.#sink.write(clearLine);
  }
}

/** `1,234,567` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 id`, `1,234 ids` */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}
