/** The fate of an event, or of an attempt to deliver it. */
export type RuleOutcome = "delivered" | "failed" | "parked" | "dropped";

/** Limits of the delivery to one rule. */
export interface RuleLimits {
  /** Waiting events in the table. If there are more, the oldest are dropped. */
  readonly stored: number;
  /** Waiting events in memory. More are read when half of them are delivered. */
  readonly queued: number;
  /** Parked events. If there are more, the oldest are removed. */
  readonly parked: number;
  /** Attempts for one event. */
  readonly attempts: number;
  /** Requests at a time. */
  readonly inFlight: number;
  /** The wait after the first failure in milliseconds; it doubles with each further one, up to `maxWaitMs`. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
  /** Bytes of one event: it is stored as one item. */
  readonly eventBytes: number;
}

export const ruleLimits: RuleLimits = {
  stored: 100_000,
  queued: 10_000,
  parked: 1_000,
  attempts: 12,
  inFlight: 8,
  firstWaitMs: 1_000,
  maxWaitMs: 300_000,
  eventBytes: 350_000,
};

/** The milliseconds to wait after a number of failures. */
export function waitMs(failures: number, { firstWaitMs, maxWaitMs }: RuleLimits): number {
  return Math.min(maxWaitMs, firstWaitMs * 2 ** (failures - 1));
}
