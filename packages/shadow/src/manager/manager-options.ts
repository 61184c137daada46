import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../options/check-options.ts";
import { awsLimits, type ShadowLimits, wideLimits } from "./shadow-limits.ts";
import type { ShadowPolicy } from "./shadow-manager.ts";

/** How to open a manager. */
export interface ShadowManagerOptions {
  /** @default "aws" */
  readonly policy?: ShadowPolicy | undefined;
  /** How often an update without a version is merged again when others write in between. @default 10 */
  readonly maxConflictRetries?: number | undefined;
  /** Whether `acknowledge` takes values without a time of their own, too; the original does not. @default true */
  readonly acknowledgePlain?: boolean | undefined;
  /** Limits that differ. @default AWS IoT's under `aws`, DynamoDB's under `acknowledge` */
  readonly limits?: Partial<ShadowLimits> | undefined;
}

/** The same, filled in. */
export interface ResolvedManagerOptions {
  readonly policy: ShadowPolicy;
  readonly maxConflictRetries: number;
  readonly acknowledgePlain: boolean;
  readonly limits: ShadowLimits;
}

const limitChecks: OptionChecks<ShadowLimits> = {
  stateBytes: optionCheck.integer(1),
  depth: optionCheck.integer(1),
  thingNameLength: optionCheck.integer(1),
  shadowNameLength: optionCheck.integer(1),
  clientTokenBytes: optionCheck.integer(1),
  requestBytes: optionCheck.integer(1),
};

const checks: OptionChecks<ShadowManagerOptions> = {
  policy: optionCheck.oneOf("aws", "acknowledge"),
  maxConflictRetries: optionCheck.integer(0),
  acknowledgePlain: optionCheck.boolean,
  limits: (value) => (typeof value === "object" && value !== null ? undefined : "must be an object"),
};

/** DynamoDB nests 32 levels; the item and its half are two of them. */
const deepest = 30;

/** Fills in the defaults and checks what is given. */
export function resolveManagerOptions(options: ShadowManagerOptions): ResolvedManagerOptions {
  checkOptions(options, checks);
  const { policy = "aws", maxConflictRetries = 10, acknowledgePlain = true, limits = {} } = options;
  checkOptions(limits, limitChecks);
  const base = policy === "aws" ? awsLimits : wideLimits;
  const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
  const resolved = { ...base, ...given };
  if (resolved.depth > deepest) throw optionInvalid("limits", `must not allow a depth above ${deepest}`);
  return { policy, maxConflictRetries, acknowledgePlain, limits: resolved };
}
