import { type Clock, type ConsumedCapacity, type DynamoPort, sleep, wrapPort } from "@tablekeep/core";
import { callAborted } from "../append/pause-before-retry.ts";
import type { ToolOptions } from "./tool-options.ts";

/** Lets work through at a rate, evenly: no bursts. */
class Pace {
  readonly #clock: Clock;
  readonly #msEach: number;
  #freeAt = 0;

  constructor(perSecond: number, clock: Clock) {
    this.#clock = clock;
    this.#msEach = 1000 / perSecond;
  }

  /** Resolves when it is this caller's turn, and takes the room of `count`. */
  async turn(count: number, signal: AbortSignal | undefined): Promise<void> {
    const now = this.#clock.monotonic();
    const at = Math.max(now, this.#freeAt);
    this.#freeAt = at + count * this.#msEach;
    if (at <= now) return;
    await sleep(this.#clock, at - now, signal).catch((reason: unknown) =>
      Promise.reject(callAborted(reason)),
    );
  }

  /** Takes room afterwards, for what turned out to be more. */
  charge(count: number): void {
    this.#freeAt = Math.max(this.#clock.monotonic(), this.#freeAt) + count * this.#msEach;
  }
}

interface WithCapacity {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[] | undefined;
}

/** The port, no faster than the options allow. Units are those that DynamoDB says it charged. */
export function rateBounded(
  port: DynamoPort,
  {
    maxRequestsPerSecond,
    maxUnitsPerSecond,
  }: Pick<ToolOptions, "maxRequestsPerSecond" | "maxUnitsPerSecond">,
  clock: Clock,
): DynamoPort {
  if (maxRequestsPerSecond === undefined && maxUnitsPerSecond === undefined) return port;
  const requests = maxRequestsPerSecond === undefined ? undefined : new Pace(maxRequestsPerSecond, clock);
  const units = maxUnitsPerSecond === undefined ? undefined : new Pace(maxUnitsPerSecond, clock);
  return wrapPort(port, async (operation, input, options, next) => {
    await requests?.turn(1, options.signal);
    if (units === undefined) return next(operation, input, options);
    await units.turn(0, options.signal);
    const output = await next(operation, { ...input, ReturnConsumedCapacity: "TOTAL" }, options);
    units.charge(unitsOf(output as WithCapacity));
    return output;
  });
}

function unitsOf({ ConsumedCapacity: consumed = [] }: WithCapacity): number {
  const parts = Array.isArray(consumed) ? consumed : [consumed];
  return parts.reduce((total: number, { CapacityUnits = 0 }: ConsumedCapacity) => total + CapacityUnits, 0);
}
