import { sleep } from "@tablekeep/core";
import { connectionLost, unreachable } from "./fault-errors.ts";
import type { FaultAction } from "./fault-schedule.ts";
import type { Injection } from "./faulty-request.ts";
import { untilDeadline } from "./until-deadline.ts";

type Of<Kind extends FaultAction["kind"]> = Extract<FaultAction, { kind: Kind }>;

/** No connection is made. */
export const injectUnreachable: Injection<Of<"unreachable">> = async () => {
  throw unreachable();
};

/** The connection ends after the request was sent. After that the caller hears nothing, not even a refusal. */
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

/** The request is long under way. It lands whether or not somebody still waits for its answer. */
export const injectDelay: Injection<Of<"delay">> = (request, send, { ms }, world) =>
  untilDeadline(request, world.clock, (abandoned) => {
    // A request on the wire ignores its caller's signal, and keeps the process alive until it lands.
    const landing = sleep(world.clock, ms).then(() =>
      send(abandoned() ? { ...request, options: {} } : request),
    );
    world.track(landing);
    return landing;
  });

/** The answer is long under way. */
export const injectDelayedAnswer: Injection<Of<"delay-answer">> = (request, send, { ms }, world) =>
  untilDeadline(request, world.clock, async () => {
    const answer = await send(request);
    // The deadline keeps the process alive while a caller waits.
    await sleep(world.clock, ms, undefined, { background: true });
    return answer;
  });
