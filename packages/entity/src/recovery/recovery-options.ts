import { type OptionCheck, type OptionChecks, optionCheck } from "@tablekeep/core";
import type { SnapshotCriteria } from "@tablekeep/journal";
import { checkOptions } from "../call-options.ts";

/** Options of `read`: which state to rebuild, and from which snapshots. */
export interface RecoveryOptions {
  /** Sequence number of the last event to apply. @default the highest */
  readonly toSequenceNr?: number;
  /** Stop before the first later event, in milliseconds since 1970. @default no limit */
  readonly toTimestamp?: number;
  /** Maximum number of events to apply after the snapshot. @default all */
  readonly maxEvents?: number;
  /** Which snapshots to start from, or `none` to apply all events. @default the newest suitable one */
  readonly snapshot?: SnapshotCriteria | "none";
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Deadline of each request, in milliseconds. @default the host's `deadlineMs` */
  readonly deadlineMs?: number;
}

const criteriaChecks: OptionChecks<SnapshotCriteria> = {
  minSequenceNr: optionCheck.integer(0),
  maxSequenceNr: optionCheck.upperBound,
  minTimestamp: optionCheck.integer(0),
  maxTimestamp: optionCheck.upperBound,
};

const criteria: OptionCheck = (value) => {
  if (value === "none") return undefined;
  if (typeof value !== "object" || value === null) return 'must be an object of criteria or "none"';
  checkOptions<SnapshotCriteria>(value, criteriaChecks, "snapshot");
  return undefined;
};

const checks: OptionChecks<RecoveryOptions> = {
  toSequenceNr: optionCheck.integer(0),
  toTimestamp: optionCheck.upperBound,
  maxEvents: optionCheck.integer(0),
  snapshot: criteria,
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** Throws `ENTITY_OPTION_INVALID` for unknown options and unsuitable values. */
export function checkRecoveryOptions(options: RecoveryOptions): void {
  checkOptions(options, checks);
}
