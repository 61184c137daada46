import type { Clock } from "@tablekeep/core";
import type { MailSummary } from "../mail.ts";

/** How long an id is remembered at least, so that it is given once. Longer than anyone looks back as a rule. */
const memoryMs = 600_000;

/** The ids that watchers were told of. */
export interface SeenIds {
  readonly size: number;
  /** Milliseconds since 1970: how new the newest is. */
  readonly newestMs: number;
  /** Remembers a message; false if it was known. */
  add(summary: MailSummary): boolean;
  /** Forgets ids that have been known for long, of messages that no look will find again: they are older than this. */
  forget(beforeMs: number): void;
  /** Forgets everything, and takes this moment for the newest. */
  reset(newestMs: number): void;
}

export function seenIds(clock: Clock): SeenIds {
  const seen = new Map<string, { readonly at: number; readonly created: number }>();
  let newestMs = 0;
  return {
    get size() {
      return seen.size;
    },
    get newestMs() {
      // The clock may have been set back.
      return Math.min(newestMs, clock.now());
    },
    add({ id, created }) {
      if (seen.has(id)) return false;
      seen.set(id, { at: clock.monotonic(), created });
      const now = clock.now();
      newestMs = Math.min(Math.max(newestMs, created), now);
      return true;
    },
    forget(beforeMs) {
      const longAgo = clock.monotonic() - memoryMs;
      for (const [id, { at, created }] of seen) {
        if (at > longAgo) break;
        if (created < beforeMs) seen.delete(id);
      }
    },
    reset(ms) {
      seen.clear();
      newestMs = ms;
    },
  };
}
