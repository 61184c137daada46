import { systemClock, withDeadline } from "@tablekeep/core";
import { ServerError } from "../server/server-error.ts";

/** How long a wait may take. */
export interface WaitLimits {
  /** Milliseconds to wait. The default is below the 5 seconds of a test in vitest and Jest. @default 4,000 */
  readonly timeoutMs?: number;
  /** Ends the wait. @default none */
  readonly signal?: AbortSignal;
}

/** What to wait for. */
export interface Wait<Found> {
  /** Returns what is waited for; undefined if it is not there yet. Called again after each change. */
  readonly find: () => Promise<Found | undefined> | Found | undefined;
  /** Calls `wake` after each change from now on. Returns a function that stops it. */
  readonly onChange: (wake: () => void) => () => void;
  /** What is waited for, for messages. */
  readonly waitedFor: string;
  /** What came instead, for messages. */
  readonly seen: () => readonly string[];
}

const defaultTimeoutMs = 4_000;

/** Waits until `find` returns something: it is called once, and after each change. Nothing is polled. */
export async function waitUntil<Found>(wait: Wait<Found>, limits: WaitLimits = {}): Promise<Found> {
  const { timeoutMs = defaultTimeoutMs, signal } = limits;
  let changed = false;
  let hasEnded = false;
  let wake: () => void = () => {};
  // Before the first call of `find`, so that a change during it counts.
  const stop = wait.onChange(() => {
    changed = true;
    wake();
  });
  const work = async (): Promise<Found> => {
    for (;;) {
      changed = false;
      const found = await wait.find();
      if (found !== undefined) return found;
      if (hasEnded) throw new Error("the wait has ended");
      if (!changed)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  };
  try {
    return await withDeadline(work, {
      clock: systemClock,
      ms: timeoutMs,
      signal,
      timedOut: () => timedOut(wait.waitedFor, timeoutMs, wait.seen()),
    });
  } finally {
    hasEnded = true;
    stop();
    wake();
  }
}

/** Lines of a message. */
const maxSeen = 20;

/** The error of a wait, with what came instead. */
export function timedOut(waitedFor: string, timeoutMs: number, all: readonly string[]): ServerError {
  const seen = all.slice(-maxSeen).map((line) => line.slice(0, 1_000));
  const instead = seen.length === 0 ? "nothing else came" : `seen instead:\n  ${seen.join("\n  ")}`;
  return new ServerError(
    "SERVER_WAIT_TIMED_OUT",
    `no ${waitedFor} arrived within ${timeoutMs} ms; ${instead}`,
    {
      waitedFor,
      timeoutMs,
      seen,
    },
  );
}
