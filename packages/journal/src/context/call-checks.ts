import { callChecks, type OptionCheck, type OptionChecks, optionCheck } from "@tablekeep/core";
import { optionInvalid } from "../errors/journal-error.ts";
import type {
  AppendByIdOptions,
  AppendOptions,
  DeleteOptions,
  FoldOptions,
  PersistenceIdsOptions,
  PurgeOptions,
  ReplayOptions,
} from "./journal.ts";

/** Units of work per second. */
export const rate: OptionCheck = (value) =>
  typeof value === "number" && value > 0 ? undefined : "must be a number above 0";

export const replayChecks: OptionChecks<ReplayOptions> = {
  from: optionCheck.integer(-1),
  to: optionCheck.upperBound,
  max: optionCheck.upperBound,
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

export const loadChecks: OptionChecks<FoldOptions<never>> = {
  from: optionCheck.integer(0),
  initial: optionCheck.callback,
  evolve: optionCheck.callback,
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

export const deleteChecks: OptionChecks<DeleteOptions> = {
  ...callChecks,
  maxRequestsPerSecond: rate,
  maxUnitsPerSecond: rate,
};

export const purgeChecks: OptionChecks<PurgeOptions> = {
  ...deleteChecks,
  beforeReset: optionCheck.callback,
};

export const appendChecks: OptionChecks<AppendOptions> = {
  ...callChecks,
  alsoWrite: (value) => {
    const isList = Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null);
    return isList ? undefined : "must be an array of transaction items";
  },
};

export const appendByIdChecks: OptionChecks<AppendByIdOptions> = {
  ...appendChecks,
  expected: (value) =>
    value === "none" || value === "any" || (Number.isSafeInteger(value) && (value as number) >= 0)
      ? undefined
      : 'must be an integer of at least 0, "none" or "any"',
};

export const persistenceIdsChecks: OptionChecks<PersistenceIdsOptions> = {
  source: optionCheck.oneOf("registry", "index", "rows", "scan"),
  after: optionCheck.nonEmptyString,
  index: optionCheck.nonEmptyString,
  signal: optionCheck.signal,
};

/** AWS: a partition key has 2,048 bytes at most. */
const maxPartitionBytes = 2048;

/**
 * Rejects an id that cannot be stored unchanged: DynamoDB replaces each unpaired surrogate with the same character, so
 * that two such ids would share their events. `partition` returns the longest partition key of an id.
 */
export function checkPersistenceId(persistenceId: unknown, partition: (id: string) => string): void {
  const reason = optionCheck.id(persistenceId);
  if (reason !== undefined) throw optionInvalid("persistenceId", reason);
  if (Buffer.byteLength(partition(persistenceId as string)) > maxPartitionBytes)
    throw optionInvalid(
      "persistenceId",
      `is too long: together with the journal's name its keys have more than ${maxPartitionBytes} bytes`,
    );
}

/** Rejects an invalid sequence number. */
export function checkSequenceNr(
  name: string,
  value: unknown,
  check: OptionCheck = optionCheck.integer(0),
): void {
  const reason = check(value);
  if (reason !== undefined) throw optionInvalid(name, reason);
}
