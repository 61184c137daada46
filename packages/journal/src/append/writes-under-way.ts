import { type CallOptions, type Clock, sleep } from "@tablekeep/core";
import { callAborted, deadlineExceeded } from "./pause-before-retry.ts";

/** The appends that one journal object has under way, by id: whoever asks where an id stands waits for them. */
export interface WritesUnderWay {
  /** Notes an append until it has ended. */
  add(persistenceId: string, append: Promise<unknown>): void;
  /** Resolves once the appends of the id that are under way now have ended, however they did. */
  ended(persistenceId: string, options: CallOptions): Promise<void>;
}

/** The longest time that a timer of Node takes, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1;

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
    async ended(persistenceId, { signal, deadlineMs = longestTimerMs }) {
      const appends = byId.get(persistenceId);
      if (appends === undefined) return;
      const done = new AbortController();
      const stop = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
      const tooLate = sleep(clock, Math.min(deadlineMs, longestTimerMs), stop).then(
        () => Promise.reject(deadlineExceeded(deadlineMs)),
        (reason: unknown) => (signal?.aborted ? Promise.reject(callAborted(reason)) : undefined),
      );
      try {
        await Promise.race([Promise.allSettled([...appends]), tooLate]);
      } finally {
        tooLate.catch(() => undefined);
        done.abort();
      }
    },
  };
}
