import {
  type OperationName,
  type OptionCheck,
  type OptionChecks,
  operationNames,
  optionCheck,
} from "@tablekeep/core";
import { checkOptions } from "../engine-error.ts";

/** One value, or any value of a range, both ends included, chosen by the seed. */
export type ValueOrRange = number | readonly [min: number, max: number];

/**
 * Simulates how DynamoDB behaves under load and over distance, for tests of applications. Everything is off by
 * default, and then costs nothing. Times are those of the engine's clock.
 */
export interface EngineBehavior {
  /** Determines everything random below: the same requests get the same answers again. @default 1 */
  readonly seed?: number;
  /** Requests to throttle; the first matching rule applies. @default none */
  readonly throttling?: readonly ThrottlingRule[];
  /** What one partition, that is one partition key value, can serve in a second: `{}` for AWS's limits. @default no limit */
  readonly partitionLimits?: PartitionLimits;
  /**
   * How long a write transaction takes, in milliseconds. Its items become visible one by one during that time, also
   * to queries; writing one that is not visible yet is a TransactionConflict. @default 0
   */
  readonly transactionMs?: number;
  /** The order in which they become visible: that of the request, or any, chosen by the seed. @default "as-sent" */
  readonly transactionOrder?: "as-sent" | "any";
  /** The number of items after which a page of a query or scan ends. @default when it is full */
  readonly pageItems?: ValueOrRange;
  /** The delay until global indexes show a write, in milliseconds. @default 0 */
  readonly indexLagMs?: ValueOrRange;
  /** How long a table is CREATING, UPDATING or DELETING, in milliseconds. @default 0 */
  readonly tableChangeMs?: number;
  /** How change streams deviate from the order of commits and from one shard. @default they do not */
  readonly streams?: StreamBehavior;
}

/** How change streams behave. Records of one item always keep their order, if parent shards are read before their children. */
export interface StreamBehavior {
  /**
   * The delay until a change record can be read, in milliseconds. Each record has its own: a range swaps records of different items,
   * also those of one transaction. @default 0
   */
  readonly lagMs?: ValueOrRange;
  /** How many shards a stream begins with. Each has a part of the items, by a hash of their keys. @default 1 */
  readonly shards?: number;
  /**
   * The number of records after which a shard closes. Two children share its items; where eight shards are open, one child has them
   * all. @default it stays open
   */
  readonly shardRecords?: ValueOrRange;
  /** How many empty pages precede a page with records. @default 0 */
  readonly emptyPages?: ValueOrRange;
  /** How long a shard iterator is valid, in milliseconds. @default 900,000 */
  readonly iteratorMs?: number;
  /** How long a record can be read, in milliseconds. @default 86,400,000 */
  readonly retentionMs?: number;
}

/** The limits of one partition of a table, or of a global index for its reads. */
export interface PartitionLimits {
  /** @default 3,000 */
  readonly readUnitsPerSecond?: number;
  /** @default 1,000 */
  readonly writeUnitsPerSecond?: number;
  /** For how many seconds a partition collects units that it does not use. @default 1 */
  readonly burstSeconds?: number;
}

/** Which requests to throttle, and how. Without any members, every request on items. */
export interface ThrottlingRule {
  /** Only requests on this table. @default all */
  readonly table?: string;
  /** Only these operations. @default all that read or write items */
  readonly operations?: readonly OperationName[];
  /** With this probability, 0 to 1. @default 1 */
  readonly probability?: number;
  /** Only the requests with these numbers, counting from 1 those that match table and operations. @default all */
  readonly requests?: ValueOrRange;
  /** The exception for requests other than transactions. @default "ProvisionedThroughputExceededException" */
  readonly exception?: ThrottlingException;
  /** The exceeded limit. @default the provisioned throughput of the table, for reads or for writes */
  readonly reason?: ThrottlingReasonName;
}

export type ThrottlingException =
  | "ProvisionedThroughputExceededException"
  | "ThrottlingException"
  | "RequestLimitExceeded";

/** The limits that DynamoDB names in `ThrottlingReasons`: of a table or an index, for reads or writes. */
export type ThrottlingReasonName =
  `${"Table" | "Index"}${"Read" | "Write"}${"ProvisionedThroughputExceeded" | "AccountLimitExceeded" | "KeyRangeThroughputExceeded" | "MaxOnDemandThroughputExceeded"}`;

const limits = [
  "ProvisionedThroughputExceeded",
  "AccountLimitExceeded",
  "KeyRangeThroughputExceeded",
  "MaxOnDemandThroughputExceeded",
] as const;

export const throttlingReasonNames: readonly ThrottlingReasonName[] = (["Table", "Index"] as const).flatMap(
  (resource) =>
    (["Read", "Write"] as const).flatMap((kind) =>
      limits.map((limit): ThrottlingReasonName => `${resource}${kind}${limit}`),
    ),
);

const probability = (value: unknown) =>
  typeof value === "number" && value >= 0 && value <= 1 ? undefined : "must be a number from 0 to 1";

const ruleChecks: OptionChecks<ThrottlingRule> = {
  table: optionCheck.nonEmptyString,
  operations: optionCheck.arrayOf(optionCheck.oneOf(...operationNames)),
  probability,
  requests: orRange(optionCheck.integer(1)),
  exception: optionCheck.oneOf(
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
  ),
  reason: optionCheck.oneOf(...throttlingReasonNames),
};

const positive = (value: unknown) =>
  typeof value === "number" && value > 0 && Number.isFinite(value) ? undefined : "must be a positive number";

const limitChecks: OptionChecks<PartitionLimits> = {
  readUnitsPerSecond: positive,
  writeUnitsPerSecond: positive,
  burstSeconds: positive,
};

const streamChecks: OptionChecks<StreamBehavior> = {
  lagMs: orRange(optionCheck.millisecondsOrZero),
  shards: optionCheck.integer(1, 100),
  shardRecords: orRange(optionCheck.integer(1)),
  emptyPages: orRange(optionCheck.integer(0)),
  iteratorMs: optionCheck.milliseconds,
  retentionMs: optionCheck.milliseconds,
};

const behaviorChecks: OptionChecks<EngineBehavior> = {
  seed: optionCheck.integer(0),
  throttling: (rules) => {
    if (!Array.isArray(rules)) return "must be a list of rules";
    for (const [at, rule] of rules.entries()) checkOptions(rule, ruleChecks, `behavior.throttling[${at}]`);
    return undefined;
  },
  partitionLimits: (value) => {
    checkOptions(value, limitChecks, "behavior.partitionLimits");
    return undefined;
  },
  transactionMs: optionCheck.millisecondsOrZero,
  transactionOrder: optionCheck.oneOf("as-sent", "any"),
  pageItems: orRange(optionCheck.integer(1)),
  indexLagMs: orRange(optionCheck.millisecondsOrZero),
  tableChangeMs: optionCheck.millisecondsOrZero,
  streams: (streams) => {
    checkOptions(streams, streamChecks, "behavior.streams");
    return undefined;
  },
};

/** The names of all behaviors, of those of streams, of the members of a rule, and of the limits of a partition, as listed in `docs/reference/engine.md`. */
export const behaviorNames: readonly string[] = Object.keys(behaviorChecks);
export const streamBehaviorNames: readonly string[] = Object.keys(streamChecks);
export const throttlingRuleNames: readonly string[] = Object.keys(ruleChecks);
export const partitionLimitNames: readonly string[] = Object.keys(limitChecks);

/** Throws `ENGINE_OPTION_INVALID` for an invalid behavior. */
export function checkBehavior(behavior: unknown): void {
  checkOptions(behavior, behaviorChecks, "behavior");
}

/** Accepts what `check` accepts, or a range of it. */
function orRange(check: OptionCheck): OptionCheck {
  return (value) => {
    if (!Array.isArray(value)) return check(value);
    const [least, most] = value as unknown[];
    const reason = check(least) ?? check(most);
    if (reason !== undefined || value.length !== 2)
      return `${reason ?? "must be one value"}, or a range [first, last] of such values`;
    return (least as number) <= (most as number)
      ? undefined
      : "must be a range whose first value is not above its last";
  };
}
