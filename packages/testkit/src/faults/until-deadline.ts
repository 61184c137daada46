import type { Clock } from "@tablekeep/core";
import { aborted, deadlineExceeded } from "./fault-errors.ts";
import type { FaultyRequest } from "./faulty-request.ts";

/** The deadline of a call that names none, in milliseconds: that of every port. */
const defaultDeadlineMs = 10_000;

/**
 * What `work` answers, unless the deadline of the request or its caller ends it first. The work itself goes on; it can
 * ask whether it was abandoned.
 */
export function untilDeadline(
  request: FaultyRequest,
  clock: Clock,
  work: (abandoned: () => boolean) => Promise<object>,
): Promise<object> {
  const { signal, deadlineMs = defaultDeadlineMs } = request.options;
  return new Promise((resolve, reject) => {
    let over = false;
    const end = (settle: () => void) => {
      if (over) return;
      over = true;
      cancel();
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    const onAbort = () => end(() => reject(aborted(request, signal?.reason)));
    const cancel = clock.after(deadlineMs, () => end(() => reject(deadlineExceeded(request, deadlineMs))));
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener("abort", onAbort, { once: true });
    work(() => over).then(
      (answer) => end(() => resolve(answer)),
      (error: unknown) => end(() => reject(error as Error)),
    );
  });
}
