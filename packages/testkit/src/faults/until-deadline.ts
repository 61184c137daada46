import { type Clock, withDeadline } from "@tablekeep/core";
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
  let over = false;
  return withDeadline(() => work(() => over), {
    clock,
    ms: deadlineMs,
    signal,
    timedOut: () => {
      over = true;
      return deadlineExceeded(request, deadlineMs);
    },
    aborted: (by) => {
      over = true;
      return aborted(request, by.reason);
    },
  });
}
