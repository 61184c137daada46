import { type OptionCheck, type OptionChecks, optionCheck } from "@tablekeep/core";
import type { SnapshotCriteria } from "@tablekeep/journal";
import { checkOptions } from "../options/check-options.ts";

/** Which state to rebuild, and from what. */
export interface RecoveryOptions {
  /** The number of the last event to apply. @default the highest */
  readonly toSequenceNr?: number | undefined;
  /** Stop before the first event that happened later, in milliseconds since 1970. @default no bound */
  readonly toTimestamp?: number | undefined;
  /** The most events to apply on top of the snapshot. @default all */
  readonly maxEvents?: number | undefined;
  /** Which snapshots may be the start, or `none` to apply all events. @default the newest that fits */
  readonly snapshot?: SnapshotCriteria | "none" | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for each request. @default the host's `deadlineMs` */
  readonly deadlineMs?: number | undefined;
}

const criteriaChecks: OptionChecks<SnapshotCriteria> = {
  minSequenceNr: optionCheck.wholeNumber(0),
  maxSequenceNr: optionCheck.upperBound,
  minTimestamp: optionCheck.wholeNumber(0),
  maxTimestamp: optionCheck.upperBound,
};

const criteria: OptionCheck = (value) => {
  if (value === "none") return undefined;
  if (typeof value !== "object" || value === null) return 'must be criteria or "none"';
  checkOptions<SnapshotCriteria>(value, criteriaChecks, "snapshot");
  return undefined;
};

const checks: OptionChecks<RecoveryOptions> = {
  toSequenceNr: optionCheck.wholeNumber(0),
  toTimestamp: optionCheck.upperBound,
  maxEvents: optionCheck.wholeNumber(0),
  snapshot: criteria,
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** Refuses what does not exist or does not fit. */
export function checkRecoveryOptions(options: RecoveryOptions): void {
  checkOptions(options, checks);
}
