import { type CallOptions, type Clock, sleep, withDeadline } from "@tablekeep/core";
import { ClientError } from "../base/client-error.ts";

/** Default deadline of a call, in milliseconds: the original journal's `operation-timeout`. */
export const defaultDeadlineMs = 10_000;

/** The remaining time of one call, which all of its requests share. */
export interface Deadline {
  /** Milliseconds left; never below 0. */
  remainingMs(): number;
  /** Returns the options of a request made for this call. */
  callOptions(): CallOptions;
  /** Waits. Rejects immediately if the wait would exceed the deadline, and when the caller aborts. */
  sleep(ms: number): Promise<void>;
  /** Throws if the time is up or the caller has aborted. */
  check(): void;
  /** The error of an aborted call; undefined while the caller has not aborted. */
  aborted(): ClientError<"CLIENT_ABORTED"> | undefined;
}

/** Starts the deadline of a call. */
export function startDeadline(clock: Clock, options: CallOptions): Deadline {
  const deadlineMs = options.deadlineMs ?? defaultDeadlineMs;
  const endsAt = clock.monotonic() + deadlineMs;
  const remainingMs = () => Math.max(0, endsAt - clock.monotonic());
  const over = () =>
    new ClientError("CLIENT_DEADLINE_EXCEEDED", `deadline of ${deadlineMs} ms exceeded`, {
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

/** Creates the error of a call that its caller aborted. */
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

/** The conditions that end a wait. */
export interface WaitLimits extends Pick<CallOptions, "signal" | "deadlineMs"> {
  readonly clock: Clock;
}

/**
 * Waits for `work` that other callers may share, and settles as it does. Rejects as soon as the deadline of this call has
 * passed or its signal is aborted; the work continues.
 *
 * @example
 * const table = await waitWithin({ clock: systemClock, deadlineMs: 1_000 }, sharedWork);
 */
export async function waitWithin<Value>(
  { clock, signal, deadlineMs }: WaitLimits,
  work: Promise<Value>,
): Promise<Value> {
  // If the wait ends early, nothing else may handle the failure of the work.
  work.catch(() => undefined);
  return withDeadline(() => work, {
    clock,
    ms: deadlineMs,
    signal,
    timedOut,
    aborted: (by) => abortedBy(by),
  });

  function timedOut(): ClientError<"CLIENT_DEADLINE_EXCEEDED"> {
    const leftMs = deadlineMs ?? 0;
    const message = `deadline exceeded (${Math.round(leftMs)} ms were left when the wait began)`;
    return new ClientError("CLIENT_DEADLINE_EXCEEDED", message, { deadlineMs: leftMs, attempts: 0 });
  }
}
