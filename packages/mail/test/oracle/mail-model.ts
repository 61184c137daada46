import type { MailSearch } from "../../src/index.ts";
import { finds, type Remembered } from "./plain-reader.ts";

/** A mail store as a plain list. */
export class MailModel {
  #messages: Remembered[] = [];
  readonly #ttlSeconds: number;
  readonly #now: () => number;

  constructor(ttlDays: number, now: () => number) {
    this.#ttlSeconds = ttlDays * 86_400;
    this.#now = now;
  }

  add(message: Remembered): void {
    this.#messages.push(message);
  }

  /** Newest first. */
  live(): Remembered[] {
    const now = Math.floor(this.#now() / 1000);
    return this.#messages
      .filter(({ created }) => Math.floor(created / 1000) + this.#ttlSeconds > now)
      .toSorted((one, other) => (one.id < other.id ? 1 : -1));
  }

  find(search: MailSearch): Remembered[] {
    return this.live().filter((message) => finds(search, message));
  }

  remove(ids: readonly string[]): number {
    const gone = this.live().filter(({ id }) => ids.includes(id));
    this.#messages = this.#messages.filter((message) => !gone.includes(message));
    return gone.length;
  }
}
