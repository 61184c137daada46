import type { Clock } from "@tablekeep/core";

/** A write that starts later, unless it is dropped. */
interface DelayedWrite {
  readonly dueAt: number;
  readonly start: () => Promise<void>;
  readonly resolve: (started?: Promise<void>) => void;
}

/** How long a write is delayed, in milliseconds: longer than a client in the same region takes to acknowledge a message. */
const delayMs = 100;

/** Writes that often become unnecessary after a moment. All have the same delay, so one timer is enough. */
export class DelayedWrites {
  readonly #clock: Clock;
  /** In the order in which they are due. */
  readonly #writes = new Map<string, DelayedWrite>();
  #isTimed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves with the write, or once it is dropped. */
  add(id: string, start: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#writes.set(id, { dueAt: this.#clock.monotonic() + delayMs, start, resolve });
      this.#startTimer(delayMs);
    });
  }

  /** Returns whether there was such a write. */
  drop(id: string): boolean {
    const found = this.#writes.get(id);
    found?.resolve();
    return this.#writes.delete(id);
  }

  startAll(): void {
    this.#startDue(Number.POSITIVE_INFINITY);
  }

  #startTimer(ms: number): void {
    if (this.#isTimed) return;
    this.#isTimed = true;
    this.#clock.after(ms, () => {
      const now = this.#clock.monotonic();
      // After a long turn, acknowledgments that have arrived are read first.
      setImmediate(() => {
        this.#isTimed = false;
        this.#startDue(now);
        for (const { dueAt } of this.#writes.values()) {
          this.#startTimer(Math.max(1, dueAt - this.#clock.monotonic()));
          return;
        }
      });
    });
  }

  #startDue(now: number): void {
    for (const [id, { dueAt, start, resolve }] of this.#writes) {
      if (dueAt > now) return;
      this.#writes.delete(id);
      resolve(start());
    }
  }
}
