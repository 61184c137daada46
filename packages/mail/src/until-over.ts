import { ClientError } from "@tablekeep/client";
import type { MailCall } from "./mail-context.ts";

/**
 * Waits for work that serves others, too, and so goes on. Rejects as soon as the call is over: its deadline, if it has
 * one, or its signal ends the wait and nothing else.
 */
export async function untilOver<Value>(
  work: Promise<Value>,
  { clock, signal, deadlineMs }: Pick<MailCall, "clock" | "signal" | "deadlineMs">,
): Promise<Value> {
  let release = () => {};
  const over = new Promise<never>((_, reject) => {
    const onAbort = () =>
      reject(
        new ClientError(
          "CLIENT_ABORTED",
          "the caller aborted the call",
          { attempts: 0 },
          { cause: signal?.reason },
        ),
      );
    const cancel =
      deadlineMs !== undefined &&
      clock.after(deadlineMs, () => {
        const message = `not done within what was left of its deadline, ${Math.round(deadlineMs)} ms`;
        reject(new ClientError("CLIENT_DEADLINE_EXCEEDED", message, { deadlineMs, attempts: 0 }));
      });
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
    release = () => {
      if (cancel !== false) cancel();
      signal?.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([over, work]);
  } finally {
    release();
  }
}
