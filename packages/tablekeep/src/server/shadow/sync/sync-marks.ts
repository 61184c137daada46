import type { ShadowId } from "@tablekeep/shadow";

/** Why a shadow is synced: it changed here, the cloud is read, or the server has started. The later ones include the earlier. */
const reasons = ["changed", "poll", "start"] as const;

/** A shadow that is waiting to be synced. */
export interface SyncMark extends ShadowId {
  readonly why: (typeof reasons)[number];
}

/**
 * The shadows that are waiting to be synced, each once, however often it changes: they are read when their turn comes. A mark beyond the limit
 * is dropped, because the next read of all shadows finds the change.
 */
export class SyncMarks {
  readonly #waiting = new Map<string, SyncMark>();
  readonly #busy = new Set<string>();
  readonly #maximum: number;
  #wake: () => void = () => {};
  #woken: Promise<void> = Promise.resolve();

  constructor(maximum: number) {
    this.#maximum = maximum;
    this.#renew();
  }

  /** The number of shadows that are waiting or being synced. */
  get size(): number {
    return this.#waiting.size + this.#busy.size;
  }

  /** Resolves once a shadow was added or has ended. */
  get changed(): Promise<void> {
    return this.#woken;
  }

  add(mark: SyncMark): void {
    const key = keyOf(mark);
    const known = this.#waiting.get(key);
    if (known === undefined && this.#waiting.size >= this.#maximum) return;
    const isMore = known === undefined || reasons.indexOf(mark.why) > reasons.indexOf(known.why);
    if (isMore) this.#waiting.set(key, mark);
    this.#notify();
  }

  /** The next shadow, which counts as busy until it is done; undefined if there is none. */
  take(): SyncMark | undefined {
    for (const [key, mark] of this.#waiting) {
      if (this.#busy.has(key)) continue;
      this.#waiting.delete(key);
      this.#busy.add(key);
      return mark;
    }
    return undefined;
  }

  done(mark: SyncMark): void {
    this.#busy.delete(keyOf(mark));
    this.#notify();
  }

  clear(): void {
    this.#waiting.clear();
  }

  #notify(): void {
    this.#wake();
    this.#renew();
  }

  #renew(): void {
    this.#woken = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function keyOf({ id, name }: ShadowId): string {
  return `${id}#${name}`;
}
