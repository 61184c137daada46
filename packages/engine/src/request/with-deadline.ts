import type { CallOptions, Clock } from "@tablekeep/core";
import { EngineError } from "../engine-error.ts";

/** Whether anything but its own end can end a call. */
export function isBounded({ signal, deadlineMs }: CallOptions): boolean {
  return signal !== undefined || deadlineMs !== undefined;
}

/**
 * The result of a call, or the error that its caller's signal or deadline ends it with. The call itself goes on: a
 * write that was under way may be applied, which is why the error says of one that `mayChange` that this is unknown.
 */
export async function untilOver<Result>(
  clock: Clock,
  mayChange: boolean,
  { signal, deadlineMs }: CallOptions,
  call: () => Promise<Result>,
): Promise<Result> {
  if (signal?.aborted) throw aborted(signal, false);
  const cleanups: (() => void)[] = [];
  const ended = new Promise<never>((_resolve, reject) => {
    if (deadlineMs !== undefined) {
      cleanups.push(clock.after(deadlineMs, () => reject(tooLate(deadlineMs, mayChange))));
    }
    const onAbort = () => reject(aborted(signal, mayChange));
    signal?.addEventListener("abort", onAbort, { once: true });
    cleanups.push(() => signal?.removeEventListener("abort", onAbort));
  });
  try {
    return await Promise.race([call(), ended]);
  } finally {
    for (const cleanup of cleanups) cleanup();
  }
}

function aborted(signal: AbortSignal | undefined, ambiguous: boolean): EngineError {
  const message = "the caller aborted the call";
  return new EngineError("ENGINE_ABORTED", message, {}, { cause: signal?.reason, ambiguous });
}

function tooLate(deadlineMs: number, ambiguous: boolean): EngineError {
  const message = `the call took longer than its deadline of ${deadlineMs} ms: allow it more time`;
  return new EngineError("ENGINE_DEADLINE_EXCEEDED", message, { deadlineMs }, { ambiguous });
}
