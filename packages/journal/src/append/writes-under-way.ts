import { waitWithin } from "@tablekeep/client";
import type { CallOptions, Clock } from "@tablekeep/core";

/** The appends that one journal object has under way, by id: whoever asks where an id stands waits for them. */
export interface WritesUnderWay {
  /** Notes an append until it has ended. */
  add(persistenceId: string, append: Promise<unknown>): void;
  /** Resolves once the appends of the id that are under way now have ended, however they did. */
  ended(persistenceId: string, options: CallOptions): Promise<void>;
}

/** Notes nothing yet. */
export function writesUnderWay(clock: Clock): WritesUnderWay {
  const byId = new Map<string, Set<Promise<unknown>>>();
  return {
    add(persistenceId, append) {
      const appends = byId.get(persistenceId) ?? new Set();
      byId.set(persistenceId, appends.add(append));
      const forget = () => {
        appends.delete(append);
        if (appends.size === 0 && byId.get(persistenceId) === appends) byId.delete(persistenceId);
      };
      append.then(forget, forget);
    },
    async ended(persistenceId, options) {
      const appends = byId.get(persistenceId);
      if (appends !== undefined) await waitWithin({ clock, ...options }, Promise.allSettled([...appends]));
    },
  };
}
