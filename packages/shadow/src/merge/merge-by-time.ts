import {
  type DocumentObject,
  type DocumentValue,
  isList,
  isObject,
  type OpenObject,
  setKey,
  valueAt,
} from "../document/document-value.ts";
import { isSameValue } from "../document/same-value.ts";
import {
  type DocumentMetadata,
  isMetadataObject,
  type MetadataObject,
  type OpenMetadata,
} from "./document-metadata.ts";
import { type ManagedValue, managedValue } from "./managed-value.ts";
import type { Section } from "./merge-patch.ts";
import { metadataOf, newestOf } from "./mirror-metadata.ts";
import { type MergeLog, note, type Path } from "./value-change.ts";

/**
 * The merge of the `acknowledge` policy: as AWS's, but a late message never overwrites a newer value. Values with a time of
 * their own win if they are newer than what is there; others go by `seconds`, the time of the message, and win unless they
 * are older. Lists of values with times merge place by place; other lists replace what was there.
 */
export function mergeByTime(
  section: Section,
  patch: DocumentObject | null,
  seconds: number,
  log: MergeLog,
): Section {
  const { state = {}, metadata = {} } = section;
  const merge = { seconds, log, path: [] };
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
    const isMerge = isObject(before) && old === undefined;
    if (before !== undefined && !isMerge) note(merge.log, merge.path, "updated", before, value);
    const parts = mergeObject(
      isMerge ? before : {},
      isMerge && isMetadataObject(known) ? known : {},
      value,
      merge,
    );
    return { value: parts.state, metadata: parts.metadata };
  }
  if (isList(before) && isList(value) && [...before, ...value].every((each) => managedValue(each)))
    return mergeList(before, known, value, merge);
  return replaced(before, known, value, merge);
}

function newerOf(
  before: DocumentValue | undefined,
  known: DocumentMetadata | undefined,
  { old, given, value }: { old: ManagedValue; given: ManagedValue; value: DocumentValue },
  merge: Merge,
): MergedValue {
  if (given.at <= old.at) {
    note(merge.log, merge.path, "unchanged", before, before);
    return { value: before, metadata: known };
  }
  note(merge.log, merge.path, "updated", before, value);
  return { value, metadata: metadataOf(value, merge.seconds) };
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
  if (isLate(known, merge)) {
    note(merge.log, merge.path, "unchanged", before, before);
    return { value: before, metadata: known };
  }
  note(merge.log, merge.path, "removed", before);
  return { value: undefined, metadata: undefined };
}

function replaced(
  before: DocumentValue | undefined,
  known: DocumentMetadata | undefined,
  value: DocumentValue,
  merge: Merge,
): MergedValue {
  if (before !== undefined && isLate(known, merge)) {
    note(merge.log, merge.path, "unchanged", before, before);
    return { value: before, metadata: known };
  }
  // The same value again is newer all the same: what comes late must not overwrite it.
  const metadata = metadataOf(value, merge.seconds);
  if (before !== undefined && isSameValue(before, value)) {
    note(merge.log, merge.path, "unchanged", before, before);
    return { value: before, metadata };
  }
  note(merge.log, merge.path, before === undefined ? "added" : "updated", before, value);
  return { value, metadata };
}

/** Whether the message is older than what is there. */
function isLate(known: DocumentMetadata | undefined, { seconds }: Merge): boolean {
  return newestOf(known) > seconds;
}
