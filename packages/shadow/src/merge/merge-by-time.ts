import {
  type DocumentObject,
  type DocumentValue,
  isEmpty,
  isList,
  isObject,
  isSameValue,
  type OpenObject,
  setKey,
  valueAt,
} from "../document/document-value.ts";
import type { Section } from "./merge-patch.ts";
import {
  type DocumentMetadata,
  isMetadataObject,
  type MetadataObject,
  metadataOf,
  newestOf,
  type OpenMetadata,
} from "./metadata.ts";
import { type MergeLog, note, type Path } from "./value-change.ts";

/**
 * The merge of the `acknowledge` policy: like AWS's, but a late message never overwrites a newer value. Values with their own
 * time win if they are newer than the stored value; others have the time of the message, `seconds`, and win unless they are
 * older. Lists of values with times merge element by element; other lists replace the stored list. A message without a time
 * (`isNow`) is never late, whatever the clock is.
 */
export function mergeByTime(
  section: Section,
  patch: DocumentObject | null,
  seconds: number,
  log: MergeLog,
  isNow = false,
): Section {
  const { state = {}, metadata = {} } = section;
  const merge = { seconds, isNow, log, path: [] };
  if (patch === null) {
    if (section.state === undefined) return {};
    if (isLate(metadata, merge)) {
      note(log, [], "unchanged", state, state);
      return section;
    }
    note(log, [], "removed", state);
    return {};
  }
  const merged = mergeObject(state, metadata, patch, merge);
  return Object.keys(merged.state).length === 0 ? {} : merged;
}

interface Merge {
  readonly seconds: number;
  readonly isNow: boolean;
  readonly log: MergeLog;
  readonly path: Path;
}

interface MergedValue {
  readonly value: DocumentValue | undefined;
  readonly metadata: DocumentMetadata | undefined;
}

function mergeObject(
  old: DocumentObject,
  known: MetadataObject,
  patch: DocumentObject,
  merge: Merge,
): { state: DocumentObject; metadata: MetadataObject } {
  const state: OpenObject = { ...old };
  const metadata: OpenMetadata = { ...known };
  for (const [key, value] of Object.entries(patch)) {
    const within = { ...merge, path: [...merge.path, key] };
    const merged = mergeValue(valueAt(old, key), valueAt(known, key), value, within);
    delete state[key];
    delete metadata[key];
    if (merged.value !== undefined) setKey(state, key, merged.value);
    if (merged.metadata !== undefined) setKey(metadata, key, merged.metadata);
  }
  return { state, metadata };
}

function mergeValue(
  before: DocumentValue | undefined,
  known: DocumentMetadata | undefined,
  value: DocumentValue,
  merge: Merge,
): MergedValue {
  const [old, given] = [managedValue(before), managedValue(value)];
  if (old !== undefined && given !== undefined) return newerOf(before, known, { old, given, value }, merge);
  if (value === null) return removed(before, known, merge);
  if (given === undefined && isObject(value)) {
    if (before !== undefined && (old !== undefined || !isObject(before)))
      return replacedByObject(before, known, value, merge);
    if (before === undefined && isEmpty(value)) note(merge.log, merge.path, "added", undefined, value);
    const parts = mergeObject(before ?? {}, isMetadataObject(known) ? known : {}, value, merge);
    return { value: parts.state, metadata: isEmpty(parts.state) ? newestTime(known, merge) : parts.metadata };
  }
  if (isList(before) && isList(value) && [...before, ...value].every((each) => managedValue(each)))
    return mergeList(before, known, value, merge);
  return replaced(before, known, value, merge);
}

/** An object replaces a value that is not an object, or one with a time. */
function replacedByObject(
  before: DocumentValue,
  known: DocumentMetadata | undefined,
  value: DocumentObject,
  merge: Merge,
): MergedValue {
  if (isLate(known, merge)) return kept(before, known, merge);
  note(merge.log, merge.path, "updated", before, value);
  const seconds = newestTime(known, merge);
  const parts = mergeObject({}, {}, value, { ...merge, seconds });
  return { value: parts.state, metadata: isEmpty(parts.state) ? seconds : parts.metadata };
}

function newerOf(
  before: DocumentValue | undefined,
  known: DocumentMetadata | undefined,
  { old, given, value }: { old: ManagedValue; given: ManagedValue; value: DocumentValue },
  merge: Merge,
): MergedValue {
  if (given.at <= old.at) return kept(before, known, merge);
  note(merge.log, merge.path, "updated", before, value);
  return { value, metadata: metadataOf(value, timeOf(known, merge)) };
}

function mergeList(
  before: readonly DocumentValue[],
  known: DocumentMetadata | undefined,
  value: readonly DocumentValue[],
  merge: Merge,
): MergedValue {
  const parts: readonly DocumentMetadata[] = Array.isArray(known) ? known : [];
  const merged = Array.from({ length: Math.max(before.length, value.length) }, (_unused, at): MergedValue => {
    const given = value[at];
    if (given === undefined) return { value: before[at], metadata: parts[at] };
    return mergeValue(before[at], parts[at], given, { ...merge, path: [...merge.path, at] });
  });
  if (merged.length === 0) return kept(before, newestTime(known, merge), merge);
  return {
    value: merged.map((each) => each.value ?? null),
    metadata: merged.map((each) => each.metadata ?? merge.seconds),
  };
}

function removed(
  before: DocumentValue | undefined,
  known: DocumentMetadata | undefined,
  merge: Merge,
): MergedValue {
  if (before === undefined) return { value: undefined, metadata: undefined };
  if (isLate(known, merge)) return kept(before, known, merge);
  note(merge.log, merge.path, "removed", before);
  return { value: undefined, metadata: undefined };
}

function replaced(
  before: DocumentValue | undefined,
  known: DocumentMetadata | undefined,
  value: DocumentValue,
  merge: Merge,
): MergedValue {
  if (before !== undefined && isLate(known, merge)) return kept(before, known, merge);
  // The same value again counts as newer: late messages must not overwrite it.
  const metadata = metadataOf(value, timeOf(known, merge));
  if (before !== undefined && isSameValue(before, value)) return kept(before, metadata, merge);
  note(merge.log, merge.path, before === undefined ? "added" : "updated", before, value);
  return { value, metadata };
}

function kept(
  before: DocumentValue | undefined,
  metadata: DocumentMetadata | undefined,
  merge: Merge,
): MergedValue {
  note(merge.log, merge.path, "unchanged", before, before);
  return { value: before, metadata };
}

/** Whether the message is older than the current value. */
function isLate(known: DocumentMetadata | undefined, { seconds, isNow }: Merge): boolean {
  return !isNow && newestOf(known) > seconds;
}

/** The time of a value that is set: a slow clock does not lower it. */
function timeOf(known: DocumentMetadata | undefined, merge: Merge): number {
  return merge.isNow ? newestTime(known, merge) : merge.seconds;
}

function newestTime(known: DocumentMetadata | undefined, { seconds }: Merge): number {
  return Math.max(newestOf(known), seconds);
}

/** A value with its own time of measurement. */
export interface ManagedValue {
  readonly value: DocumentValue;
  /** Nanoseconds since 1970. */
  readonly at: bigint;
}

/**
 * A value that carries its own time: an object of just `value` and `timestamp`, in any case (the original writes `Value` and
 * `Timestamp`). The timestamp is RFC 3339 text, with up to nanoseconds, or a number of milliseconds since 1970.
 */
export function managedValue(value: DocumentValue | undefined): ManagedValue | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  if (keys.length !== 2) return undefined;
  const named = (name: string) => {
    const key = keys.find((each) => each.toLowerCase() === name);
    return key === undefined ? undefined : valueAt(value, key);
  };
  const [inner, timestamp] = [named("value"), named("timestamp")];
  const at = nanosecondsOf(timestamp);
  return inner === undefined || at === undefined ? undefined : { value: inner, at };
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/i;

/** A time as nanoseconds since 1970; undefined if it is not a time. */
function nanosecondsOf(timestamp: DocumentValue | undefined): bigint | undefined {
  if (typeof timestamp === "number") {
    const microseconds = Math.round(timestamp * 1000);
    return Number.isFinite(microseconds) ? BigInt(microseconds) * 1000n : undefined;
  }
  if (typeof timestamp !== "string") return undefined;
  const [, moment, fraction = "", zone] = rfc3339.exec(timestamp) ?? [];
  if (moment === undefined || zone === undefined) return undefined;
  const milliseconds = Date.parse(`${moment}${zone}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}
