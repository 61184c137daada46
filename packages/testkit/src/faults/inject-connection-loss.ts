import { type Clock, sleep, withDeadline } from "@tablekeep/core";
import { aborted, connectionLost, deadlineExceeded, unreachable } from "./fault-errors.ts";
import type { FaultAction } from "./fault-schedule.ts";
import type { FaultyRequest, Injection } from "./faulty-request.ts";

type Of<Kind extends FaultAction["kind"]> = Extract<FaultAction, { kind: Kind }>;

/** No connection is made. */
export const injectUnreachable: Injection<Of<"unreachable">> = async () => {
  throw unreachable();
};

/** The connection ends after the request was sent. The caller gets no answer, not even a rejection. */
export const injectConnectionLoss: Injection<Of<"lost-before-apply" | "lost-after-apply">> = async (
  request,
  send,
  fault,
) => {
  if (fault.kind === "lost-after-apply") await send(request).catch(() => undefined);
  throw connectionLost(request);
};

/** No answer ever comes. */
export const injectHang: Injection<Of<"hang" | "hang-after-apply">> = (request, send, fault, world) =>
  untilDeadline(request, world.clock, async () => {
    if (fault.kind === "hang-after-apply") await send(request).catch(() => undefined);
    return new Promise<never>(() => {});
  });

/** The request is in flight for long. It is applied whether or not the caller still waits. */
export const injectDelay: Injection<Of<"delay">> = (request, send, { ms }, world) =>
  untilDeadline(request, world.clock, (abandoned) => {
    // A request on the wire ignores its caller's signal, and keeps the process alive until it lands.
    const landing = sleep(world.clock, ms).then(() =>
      send(abandoned() ? { ...request, options: {} } : request),
    );
    world.track(landing);
    return landing;
  });

/** The response is in flight for long. */
export const injectDelayedAnswer: Injection<Of<"delay-answer">> = (request, send, { ms }, world) =>
  untilDeadline(request, world.clock, async () => {
    const answer = await send(request);
    // The deadline keeps the process alive while a caller waits.
    await sleep(world.clock, ms, undefined, { background: true });
    return answer;
  });

/** The deadline of a call that names none, in milliseconds: that of every port. */
const defaultDeadlineMs = 10_000;

/**
 * Returns the result of `work`, unless the deadline of the request or its caller ends it first. The work itself continues,
 * and can check whether it was abandoned.
 */
function untilDeadline(
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
