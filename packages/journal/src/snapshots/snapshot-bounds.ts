import { type OptionCheck, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../options/check-options.ts";
import type { SnapshotCriteria } from "./snapshots.ts";

/** Criteria with every bound filled in. */
export interface SnapshotBounds {
  readonly minSequenceNr: number;
  readonly maxSequenceNr: number;
  readonly minTimestamp: number;
  readonly maxTimestamp: number;
}

/** Infinity is "no bound" too: a caller may compute it. */
const upperBound: OptionCheck = (value) =>
  value === Number.POSITIVE_INFINITY ? undefined : optionCheck.wholeNumber(0)(value);

const checks: OptionChecks<SnapshotCriteria> = {
  minSequenceNr: optionCheck.wholeNumber(0),
  maxSequenceNr: upperBound,
  minTimestamp: optionCheck.wholeNumber(0),
  maxTimestamp: upperBound,
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

/** Refuses an id or number that cannot be stored as it is. */
export function checkPlace(persistenceId: string, sequenceNr: number, partition: string): void {
  checkPersistenceId(persistenceId, partition);
  if (!Number.isSafeInteger(sequenceNr) || sequenceNr < 0)
    throw optionInvalid("sequenceNr", "must be a whole number from 0 to 2^53 - 1");
}

/** AWS: a partition key has 2,048 bytes at most. */
const maxPartitionBytes = 2048;

/** Refuses an id that cannot be stored as it is. */
export function checkPersistenceId(persistenceId: string, partition: string): void {
  if (typeof persistenceId !== "string" || persistenceId === "")
    throw optionInvalid("persistenceId", "must be a text that is not empty");
  if (/\p{Surrogate}/u.test(persistenceId))
    throw optionInvalid("persistenceId", "must be well-formed text: it has half of a surrogate pair");
  if (Buffer.byteLength(partition) > maxPartitionBytes)
    throw optionInvalid(
      "persistenceId",
      `must have ${maxPartitionBytes} bytes at most together with the journal's name`,
    );
}
