import { type CancelTimer, systemClock } from "@tablekeep/core";

/** The commits of the log are moved to the database after this time without another one. */
const idleMs = 200;

/** Decides when the commits of the log are moved to the database: when it is getting full, or once no more arrive. */
export class MoveSchedule {
  readonly #move: () => void;
  #lastCommit = 0;
  #isNext = false;
  #cancelTimer: CancelTimer | undefined;

  /** `move` runs between two turns of the event loop. Must not throw. */
  constructor(move: () => void) {
    this.#move = move;
  }

  /** Call it after each commit to the log. */
  add(isDue: boolean): void {
    this.#lastCommit = systemClock.monotonic();
    if (isDue) this.#moveNext();
    else this.#cancelTimer ??= this.#after(idleMs);
  }

  close(): void {
    this.#cancelTimer?.();
  }

  /** The callers of the latest commit get their responses first. */
  #moveNext(): void {
    if (this.#isNext) return;
    this.#isNext = true;
    setImmediate(() => {
      this.#isNext = false;
      this.#move();
    });
  }

  #after(ms: number): CancelTimer {
    return systemClock.after(ms, () => this.#moveIfIdle(), { background: true });
  }

  #moveIfIdle(): void {
    this.#cancelTimer = undefined;
    const idle = systemClock.monotonic() - this.#lastCommit;
    if (idle >= idleMs) this.#move();
    else this.#cancelTimer = this.#after(idleMs - idle);
  }
}
