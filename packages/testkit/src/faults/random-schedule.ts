import { knownOptions } from "../base/testkit-error.ts";
import { type SeededRandom, seededRandom } from "../random/seeded-random.ts";
import type { Fault, FaultAction, FaultKind, FaultSchedule, FaultTarget } from "./fault-schedule.ts";

export interface RandomScheduleOptions {
  /** Faults end after this many requests: what follows is calm, and all work must get done. @default 200 */
  readonly calmAfter?: number;
  /** The highest rate of one kind of fault, 0 to 1. @default 0.3 */
  readonly maxRate?: number;
  /** How likely each kind is switched on, 0 to 1. @default 0.5 */
  readonly swarm?: number;
  /** The longest delay, in milliseconds. @default 15,000, beyond the deadline of a call */
  readonly maxDelayMs?: number;
  /** The kinds to choose from. @default all but `refuse`, from which no caller recovers */
  readonly kinds?: readonly FaultKind[];
}

type Draw = (random: SeededRandom, maxDelayMs: number) => FaultAction;

const limits = ["ProvisionedThroughputExceeded", "AccountLimitExceeded", "KeyRangeThroughputExceeded"];
const reasonCodes = ["None", "ConditionalCheckFailed", "TransactionConflict", "ThrottlingError"];

/** One random fault of each kind, without its place. */
const draws: Readonly<Record<Exclude<FaultKind, "refuse">, Draw>> = {
  throttle: (random) => ({
    kind: "throttle",
    exception: random.pick([
      "ProvisionedThroughputExceededException",
      "ThrottlingException",
      "RequestLimitExceeded",
    ]),
    reason: `Table${random.pick(["Read", "Write"])}${random.pick(limits)}`,
  }),
  "error-before-apply": () => ({ kind: "error-before-apply" }),
  "error-after-apply": () => ({ kind: "error-after-apply" }),
  unreachable: () => ({ kind: "unreachable" }),
  "lost-before-apply": () => ({ kind: "lost-before-apply" }),
  "lost-after-apply": () => ({ kind: "lost-after-apply" }),
  hang: () => ({ kind: "hang" }),
  "hang-after-apply": () => ({ kind: "hang-after-apply" }),
  delay: (random, maxDelayMs) => ({ kind: "delay", ms: random.int(1, maxDelayMs) }),
  "delay-answer": (random, maxDelayMs) => ({ kind: "delay-answer", ms: random.int(1, maxDelayMs) }),
  unprocessed: (random) => ({
    kind: "unprocessed",
    share: random.pick([0.1, 0.5, 1]),
    rounds: random.int(1, 3),
  }),
  stale: (random) => ({ kind: "stale", behind: random.int(1, 5) }),
  "page-cut": (random) => ({ kind: "page-cut", items: random.int(0, 3) }),
  "transaction-conflict": (random) => ({ kind: "transaction-conflict", action: random.int(0, 2) }),
  "transaction-canceled": (random) => ({
    kind: "transaction-canceled",
    reasons: Array.from({ length: random.int(1, 3) }, () => random.pick(reasonCodes)),
  }),
};

/**
 * Creates a schedule from a seed by swarm testing: each kind of fault is switched on or off as a whole, with a
 * separate rate, so that some runs have many faults of one kind and none of another.
 *
 * @example
 * const faulty = faultyPort(port, randomSchedule(5, { kinds: ["throttle", "unreachable"] }));
 */
export function randomSchedule(seed: number, options: RandomScheduleOptions = {}): FaultSchedule {
  knownOptions(options, ["calmAfter", "maxRate", "swarm", "maxDelayMs", "kinds"]);
  const random = seededRandom(`schedule ${seed}`);
  const { calmAfter = 200, maxRate = 0.3, swarm = 0.5, maxDelayMs = 15_000 } = options;
  const kinds = options.kinds ?? (Object.keys(draws) as FaultKind[]);
  const faults = kinds.flatMap((kind): Fault[] => {
    // Each kind draws from a fork: leaving one out does not change the others.
    const own = random.fork(kind);
    if (kind === "refuse" || !own.chance(swarm)) return [];
    const place: FaultTarget = { at: [1, calmAfter], p: Math.ceil(own() * maxRate * 1_000) / 1_000 };
    return [{ ...place, ...draws[kind](own, maxDelayMs) }];
  });
  return { seed, faults };
}
