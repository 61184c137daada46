import {
  type OperationName,
  type OptionCheck,
  type OptionChecks,
  operationNames,
  optionCheck,
} from "@tablekeep/core";
import { checkOptions } from "../engine-error.ts";

/** One value, or any from the first to the last, both included, chosen by the seed. */
export type ValueOrRange = number | readonly [least: number, most: number];

/**
 * How DynamoDB behaves under load and over distance, for tests of what is built on it. All of it is off by default, and
 * costs nothing then. Times pass by the engine's clock.
 */
export interface EngineBehaviour {
  /** Decides everything below that is left to chance: the same requests get the same answers again. @default 1 */
  readonly seed?: number | undefined;
  /** Requests that are refused for lack of throughput; the first rule that applies counts. @default none */
  readonly throttling?: readonly ThrottlingRule[] | undefined;
  /**
   * How long a transaction's write takes, in milliseconds. Its items become visible one by one during that time, to a
   * query too; another transaction or write of one that is not visible yet is a TransactionConflict. @default 0
   */
  readonly transactionMs?: number | undefined;
  /** In which order they become visible: that of the request, or any, chosen by the seed. @default "as-sent" */
  readonly transactionOrder?: "as-sent" | "any" | undefined;
  /** After how many items a page of a query or scan ends. @default when it is full */
  readonly pageItems?: ValueOrRange | undefined;
  /** How long after a write global indexes show it, in milliseconds. @default 0 */
  readonly indexLagMs?: ValueOrRange | undefined;
  /** How long a table is CREATING, UPDATING or DELETING, in milliseconds. @default 0 */
  readonly tableChangeMs?: number | undefined;
}

/** Which requests are throttled, and how. Without any of these, every request on a table is. */
export interface ThrottlingRule {
  /** Only requests on this table. @default all */
  readonly table?: string | undefined;
  /** Only these operations. @default all that read or write items */
  readonly operations?: readonly OperationName[] | undefined;
  /** With this probability, 0 to 1. @default 1 */
  readonly probability?: number | undefined;
  /** Only the requests of these numbers, counting from 1 those that table and operations allow. @default all */
  readonly requests?: ValueOrRange | undefined;
  /** The exception that a request other than a transaction ends with. @default "ProvisionedThroughputExceededException" */
  readonly exception?: ThrottlingException | undefined;
  /** The limit that was exceeded. @default the provisioned throughput of the table, for reads or for writes */
  readonly reason?: ThrottlingReasonName | undefined;
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
  table: optionCheck.text,
  operations: optionCheck.listOf(optionCheck.choiceOf(...operationNames)),
  probability,
  requests: orRange(optionCheck.wholeNumber(1)),
  exception: optionCheck.choiceOf(
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
  ),
  reason: optionCheck.choiceOf(...throttlingReasonNames),
};

const behaviourChecks: OptionChecks<EngineBehaviour> = {
  seed: optionCheck.wholeNumber(0),
  throttling: (rules) => {
    if (!Array.isArray(rules)) return "must be a list of rules";
    for (const [at, rule] of rules.entries()) checkOptions(rule, ruleChecks, `behaviour.throttling[${at}]`);
    return undefined;
  },
  transactionMs: optionCheck.millisecondsOrNone,
  transactionOrder: optionCheck.choiceOf("as-sent", "any"),
  pageItems: orRange(optionCheck.wholeNumber(1)),
  indexLagMs: orRange(optionCheck.millisecondsOrNone),
  tableChangeMs: optionCheck.millisecondsOrNone,
};

/** The names of all behaviours, and of the members of a rule. `docs/reference/engine.md` lists the same. */
export const behaviourNames: readonly string[] = Object.keys(behaviourChecks);
export const throttlingRuleNames: readonly string[] = Object.keys(ruleChecks);

/** Throws `ENGINE_OPTION_INVALID` for anything wrong in a behaviour. */
export function checkBehaviour(behaviour: unknown): void {
  checkOptions(behaviour, behaviourChecks, "behaviour");
}

/** What `check` allows, or a pair of it of which the first is not above the second. */
export function orRange(check: OptionCheck): OptionCheck {
  return (value) => {
    if (!Array.isArray(value)) return check(value);
    const [least, most] = value as unknown[];
    const reason = check(least) ?? check(most);
    if (reason !== undefined || value.length !== 2)
      return `${reason ?? "must be one value"}, or two of that kind`;
    return (least as number) <= (most as number) ? undefined : "must be a pair that rises";
  };
}
