import { type CallOptions, type Clock, sleep } from "@tablekeep/core";
import { ClientError } from "../client-error.ts";

/** The deadline of a call unless it says otherwise, in milliseconds: the original journal's `operation-timeout`. */
export const defaultDeadlineMs = 10_000;

/** The time that one call of ours has left, over all the requests that it makes. */
export interface Deadline {
  /** Milliseconds left; never below 0. */
  remainingMs(): number;
  /** What to pass to a request made on behalf of this call. */
  callOptions(): CallOptions;
  /** Waits; rejects at once if that would outlast the deadline, and as soon as the caller aborts. */
  sleep(ms: number): Promise<void>;
  /** Throws if the time is up or the caller has aborted. */
  check(): void;
  /** The error of an aborted call; undefined while the caller has not aborted. */
  aborted(): ClientError<"CLIENT_ABORTED"> | undefined;
}

/** Starts the time of a call. */
export function startDeadline(clock: Clock, options: CallOptions): Deadline {
  const deadlineMs = options.deadlineMs ?? defaultDeadlineMs;
  const endsAt = clock.monotonic() + deadlineMs;
  const remainingMs = () => Math.max(0, endsAt - clock.monotonic());
  const over = () =>
    new ClientError("CLIENT_DEADLINE_EXCEEDED", `not done within its deadline of ${deadlineMs} ms`, {
      deadlineMs,
      attempts: 0,
    });
  const aborted = () => (options.signal?.aborted ? abortedBy(options.signal) : undefined);
  const check = () => {
    const abort = aborted();
    if (abort !== undefined) throw abort;
    if (remainingMs() === 0) throw over();
  };
  return {
    remainingMs,
    check,
    aborted,
    callOptions: () => ({ ...options, deadlineMs: remainingMs() }),
    async sleep(ms) {
      check();
      if (ms >= remainingMs()) throw over();
      await sleep(clock, ms, options.signal).catch(() => check());
      check();
    },
  };
}

/** The error of a call whose caller gave up. */
export function abortedBy(
  signal: AbortSignal,
  attempts = 0,
  ambiguous = false,
): ClientError<"CLIENT_ABORTED"> {
  return new ClientError(
    "CLIENT_ABORTED",
    "the caller aborted the call",
    { attempts },
    { cause: signal.reason, ambiguous },
  );
}
