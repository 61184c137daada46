import { type Clock, systemClock } from "@tablekeep/core";
import { fitted, type TextSink } from "./text-output.ts";

const redrawMs = 100;
/** Shorter work shows no progress. */
const quietMs = 1000;
/** Returns to the start of the line and clears it. */
export const clearLine = "\r\u001b[2K";

/** The progress of some work. */
export interface Work {
  /** What has been done, as a past tense: `wrote`. */
  readonly verb: string;
  readonly done: number;
  /** The total amount; undefined while unknown. */
  readonly total?: number;
  /** What is counted, in the plural: `messages`. */
  readonly unit: string;
  /** The part that is done, from 0 to 1. @default `done` of `total` */
  readonly part?: number;
}

/** A progress line for long work, shown only on a terminal, and only after a second. */
export class Progress {
  readonly #sink: TextSink;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(sink: TextSink, clock: Clock = systemClock) {
    this.#sink = sink;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  /** Shows the progress of the work, its rate and the remaining time, unless it was shown a moment ago. */
  show(work: () => Work): void {
    if (this.#sink.isTTY !== true) return;
    const now = this.#clock.monotonic();
    const elapsed = now - this.#startedAt;
    if (elapsed < quietMs || now - this.#drawnAt < redrawMs) return;
    this.#drawnAt = now;
    this.#sink.write(`${clearLine}${fitted(progressText(work(), elapsed), this.#sink)}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#drawnAt !== Number.NEGATIVE_INFINITY) this.#sink.write(clearLine);
  }
}

/** `wrote 1,200 of 5,000 messages, 24 %, 400/s, 10 s left` */
function progressText({ verb, done, total, unit, part }: Work, elapsedMs: number): string {
  const share = part ?? (total === undefined || total <= 0 ? undefined : done / total);
  // A total is often an estimate: beyond it, the end is unknown.
  const isKnown = share !== undefined && share <= 1;
  const words = [
    `${verb} ${grouped(done)}${total === undefined ? "" : ` of ${grouped(total)}`} ${unit}`,
    ...(isKnown ? [`${Math.floor(share * 100)} %`] : []),
    `${grouped(Math.round((done * 1000) / elapsedMs))}/s`,
    ...(isKnown && share > 0 ? [`${duration((elapsedMs * (1 - share)) / share)} left`] : []),
  ];
  return words.join(", ");
}

/** `8 s`, `3 min 20 s`, `2 h 5 min` */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${grouped(Math.floor(seconds / 3600))} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** `1,234,567` */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 id`, `1,234 ids` */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}
