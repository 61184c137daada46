import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions } from "../options/check-options.ts";
import type { SnapshotCriteria } from "./snapshots.ts";

/** Criteria with every bound filled in. */
export interface SnapshotBounds {
  readonly minSequenceNr: number;
  readonly maxSequenceNr: number;
  readonly minTimestamp: number;
  readonly maxTimestamp: number;
}

const checks: OptionChecks<SnapshotCriteria> = {
  minSequenceNr: optionCheck.integer(0),
  maxSequenceNr: optionCheck.upperBound,
  minTimestamp: optionCheck.integer(0),
  maxTimestamp: optionCheck.upperBound,
};

/**
 * The bounds that criteria set; undefined where nothing can match: bounds that exclude each other, and Akka's
 * `SnapshotSelectionCriteria.None`, which has both upper bounds at 0.
 */
export function boundsOf(criteria: SnapshotCriteria): SnapshotBounds | undefined {
  checkOptions(criteria, checks);
  const { minSequenceNr = 0, minTimestamp = 0 } = criteria;
  const maxSequenceNr = Math.min(criteria.maxSequenceNr ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const maxTimestamp = Math.min(criteria.maxTimestamp ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  if (maxSequenceNr === 0 && maxTimestamp === 0) return undefined;
  if (minSequenceNr > maxSequenceNr || minTimestamp > maxTimestamp) return undefined;
  return { minSequenceNr, maxSequenceNr, minTimestamp, maxTimestamp };
}

/** Whether the bounds leave some timestamps out. */
export function boundsTime({ minTimestamp, maxTimestamp }: SnapshotBounds): boolean {
  return minTimestamp > 0 || maxTimestamp < Number.MAX_SAFE_INTEGER;
}
