import { type CallOptions, type Clock, withDeadline } from "@tablekeep/core";
import { EngineError } from "../engine-error.ts";

/** Returns true if the call has a deadline or a signal. */
export function isBounded({ signal, deadlineMs }: CallOptions): boolean {
  return signal !== undefined || deadlineMs !== undefined;
}

/**
 * Runs a call until its caller's deadline or signal ends it. The work itself continues: a write in progress may still be
 * applied, so the error of a call that may write is ambiguous.
 */
export function withCallDeadline<Result>(
  clock: Clock,
  mayWrite: boolean,
  { signal, deadlineMs }: CallOptions,
  call: () => Promise<Result>,
): Promise<Result> {
  return withDeadline(call, {
    clock,
    ms: deadlineMs,
    signal,
    timedOut: () => {
      const message = `deadline of ${deadlineMs} ms exceeded: allow more time`;
      const details = { deadlineMs: deadlineMs as number };
      return new EngineError("ENGINE_DEADLINE_EXCEEDED", message, details, { ambiguous: mayWrite });
    },
    aborted: ({ reason: cause }, started) => {
      const ambiguous = started && mayWrite;
      return new EngineError("ENGINE_ABORTED", "the caller aborted the call", {}, { cause, ambiguous });
    },
  });
}
