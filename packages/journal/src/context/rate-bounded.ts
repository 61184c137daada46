import {
  type CallOptions,
  type Clock,
  type ConsumedCapacity,
  type DynamoPort,
  sleep,
  wrapPort,
} from "@tablekeep/core";
import { callAborted, deadlineExceeded } from "./calls.ts";
import type { DeleteOptions } from "./journal.ts";

/** Limits work to an even rate, without bursts. */
class Pace {
  readonly #clock: Clock;
  readonly #msEach: number;
  #freeAt = 0;

  constructor(perSecond: number, clock: Clock) {
    this.#clock = clock;
    this.#msEach = 1000 / perSecond;
  }

  /** Resolves when it is this caller's turn, and reserves `count` units. Throws if that would be after `endsAt`. */
  async turn(count: number, endsAt: number, signal: AbortSignal | undefined): Promise<void> {
    const now = this.#clock.monotonic();
    const at = Math.max(now, this.#freeAt);
    if (at >= endsAt) throw deadlineExceeded(Math.max(0, endsAt - now));
    this.#freeAt = at + count * this.#msEach;
    if (at <= now) return;
    await sleep(this.#clock, at - now, signal).catch((reason: unknown) =>
      Promise.reject(callAborted(reason)),
    );
  }

  /** Reserves units afterwards, if more were used than expected. */
  charge(count: number): void {
    this.#freeAt = Math.max(this.#clock.monotonic(), this.#freeAt) + count * this.#msEach;
  }
}

interface WithCapacity {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

const noEnd = Number.POSITIVE_INFINITY;

/** The rate limits of a port, and the deadline of its call. */
type RateBound = Pick<DeleteOptions, "maxRequestsPerSecond" | "maxUnitsPerSecond"> &
  Pick<CallOptions, "deadlineMs">;

/**
 * Limits a port to the rates of the options. Units are those that DynamoDB reports. Waiting does not count towards the
 * deadline of a request, but it does towards that of the whole call, which begins now.
 */
export function rateBounded(
  port: DynamoPort,
  { maxRequestsPerSecond, maxUnitsPerSecond, deadlineMs = noEnd }: RateBound,
  clock: Clock,
): DynamoPort {
  if (maxRequestsPerSecond === undefined && maxUnitsPerSecond === undefined) return port;
  const endsAt = clock.monotonic() + deadlineMs;
  const requests = maxRequestsPerSecond === undefined ? undefined : new Pace(maxRequestsPerSecond, clock);
  const units = maxUnitsPerSecond === undefined ? undefined : new Pace(maxUnitsPerSecond, clock);
  return wrapPort(port, async (operation, input, options, next) => {
    const given = { ...options };
    await requests?.turn(1, endsAt, options.signal);
    await units?.turn(0, endsAt, options.signal);
    const left = Math.max(1, endsAt - clock.monotonic());
    const nearer = Math.min(left, given.deadlineMs ?? noEnd);
    const call = nearer === noEnd ? given : { ...given, deadlineMs: nearer };
    if (units === undefined) return next(operation, input, call);
    const output = await next(operation, { ...input, ReturnConsumedCapacity: "TOTAL" }, call);
    units.charge(unitsOf(output as WithCapacity));
    return output;
  });
}

function unitsOf({ ConsumedCapacity: consumed = [] }: WithCapacity): number {
  const parts = Array.isArray(consumed) ? consumed : [consumed];
  return parts.reduce((total: number, { CapacityUnits = 0 }: ConsumedCapacity) => total + CapacityUnits, 0);
}
