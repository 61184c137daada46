import type { Clock } from "@tablekeep/core";
import type { ShadowId } from "../rows/row-keys.ts";
import type { Shadow } from "../store/shadows.ts";

/** The number of remembered shadows: a fleet of this size needs no reads. */
const maxShadows = 2_000;

/** Milliseconds for which a shadow is remembered. */
const maxAgeMs = 60_000;

/** The number of updates that read a shadow first after another writer has written it. */
const readsAfterConflict = 8;

interface Recent {
  /** Undefined while other writers are expected. */
  readonly shadow: Shadow | undefined;
  readonly until: number;
  readonly readsLeft: number;
}

/**
 * Shadows as this manager last wrote them. An update of one of them needs no read: it is written only if the stored shadow is
 * still the same, and read after all if it is not. That costs a write, so that shadows with several writers are not remembered.
 */
export class RecentShadows {
  readonly #clock: Clock;
  readonly #shadows = new Map<string, Recent>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The shadow as last written; undefined if it must be read. */
  get(shadow: ShadowId): Shadow | undefined {
    const key = keyOf(shadow);
    const recent = this.#shadows.get(key);
    if (recent === undefined || recent.until > this.#clock.monotonic()) return recent?.shadow;
    this.#shadows.delete(key);
    return undefined;
  }

  written(shadow: Shadow): void {
    const key = keyOf(shadow);
    const readsLeft = (this.#shadows.get(key)?.readsLeft ?? 1) - 1;
    this.#set(key, { shadow: readsLeft > 0 ? undefined : shadow, readsLeft: Math.max(readsLeft, 0) });
  }

  /** Another writer changed the shadow. */
  overtaken(shadow: ShadowId): void {
    this.#set(keyOf(shadow), { shadow: undefined, readsLeft: readsAfterConflict });
  }

  forget(shadow: ShadowId): void {
    this.#shadows.delete(keyOf(shadow));
  }

  #set(key: string, recent: Omit<Recent, "until">): void {
    // The least recently written one is dropped first.
    this.#shadows.delete(key);
    this.#shadows.set(key, { ...recent, until: this.#clock.monotonic() + maxAgeMs });
    if (this.#shadows.size <= maxShadows) return;
    for (const oldest of this.#shadows.keys()) {
      this.#shadows.delete(oldest);
      return;
    }
  }
}

/** A unique string for each shadow; ids and names may contain any character. */
function keyOf({ id, name }: ShadowId): string {
  return `${id.length} ${id}${name}`;
}
