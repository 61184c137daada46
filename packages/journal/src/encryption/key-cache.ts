import type { Clock } from "@tablekeep/core";
import type { SubjectKey } from "./key-store.ts";

interface Entry {
  readonly found: SubjectKey;
  readonly monotonic: number;
  readonly now: number;
}

/** The time of a read, by both clocks: the monotonic one may stop while a machine is suspended. */
export type ReadTime = Pick<Entry, "monotonic" | "now">;

/** Recently read keys. A forgotten subject stays forgotten; a key is used for a limited time after it was read. */
export class KeyCache {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #maximum: number;

  constructor(clock: Clock, lifeMs: number, maximum: number) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
    this.#maximum = maximum;
  }

  time(): ReadTime {
    return { monotonic: this.#clock.monotonic(), now: this.#clock.now() };
  }

  get(subject: string): SubjectKey | undefined {
    const entry = this.#entries.get(subject);
    if (entry === undefined || entry.found === "forgotten") return entry?.found;
    const isFresh =
      this.#clock.monotonic() - entry.monotonic < this.#lifeMs &&
      this.#clock.now() - entry.now < this.#lifeMs;
    if (isFresh) return entry.found;
    this.#entries.delete(subject);
    return undefined;
  }

  /** Remembers what was read, counted from when the read began, and returns what holds: a key that was forgotten meanwhile stays so. */
  set(subject: string, found: SubjectKey, readAt: ReadTime): SubjectKey {
    if (this.#entries.get(subject)?.found === "forgotten") return "forgotten";
    this.#entries.delete(subject);
    this.#entries.set(subject, { found, ...readAt });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maximum) break;
      this.#entries.delete(oldest);
    }
    return found;
  }
}
