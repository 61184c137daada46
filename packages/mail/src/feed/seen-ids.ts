import type { Clock } from "@tablekeep/core";
import type { MailSummary } from "../mail.ts";

/** How long an id is remembered, so that it is given once. Longer than anyone looks back. */
const memoryMs = 600_000;

/** The ids that watchers were told of. */
export interface SeenIds {
  /** Milliseconds since 1970: how new the newest is. */
  readonly newestMs: number;
  /** Remembers a message; false if it was known. */
  add(summary: MailSummary): boolean;
  /** Forgets everything, and takes this moment for the newest. */
  reset(newestMs: number): void;
}

export function seenIds(clock: Clock): SeenIds {
  const seen = new Map<string, number>();
  let newestMs = 0;
  return {
    get newestMs() {
      return newestMs;
    },
    add({ id, created }) {
      if (seen.has(id)) return false;
      const now = clock.monotonic();
      for (const [old, at] of seen) {
        if (at > now - memoryMs) break;
        seen.delete(old);
      }
      seen.set(id, now);
      newestMs = Math.max(newestMs, Math.min(created, clock.now()));
      return true;
    },
    reset(ms) {
      seen.clear();
      newestMs = ms;
    },
  };
}
