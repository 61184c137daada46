import {
  type DocumentObject,
  type DocumentValue,
  isEmpty,
  isObject,
  isSameValue,
  type OpenObject,
  setKey,
  valueAt,
} from "../document/document-value.ts";
import {
  type DocumentMetadata,
  isMetadataObject,
  type MetadataObject,
  metadataOf,
  type OpenMetadata,
} from "./metadata.ts";
import { type MergeLog, note } from "./value-change.ts";

/** One half of a document with its metadata. Undefined if there is no such half. */
export interface Section {
  readonly state?: DocumentObject;
  readonly metadata?: MetadataObject;
}

/**
 * AWS IoT's merge: objects merge key by key, everything else, lists included, replaces the value, and null removes it. A half
 * whose last key is removed is removed itself, as by null for the half. Values that are set get the time `seconds`.
 */
export function mergePatch(
  section: Section,
  patch: DocumentObject | null,
  seconds: number,
  log: MergeLog,
): Section {
  const { state = {}, metadata = {} } = section;
  if (patch === null) {
    if (section.state !== undefined) note(log, [], "removed", state);
    return {};
  }
  const merged = mergeObject({ state, metadata }, patch, { seconds, log, path: [] });
  return Object.keys(merged.state).length === 0 ? {} : merged;
}

interface Merge {
  readonly seconds: number;
  readonly log: MergeLog;
  /** The path to the current value: one array, to which each level adds its step and then removes it. */
  readonly path: (string | number)[];
}

interface MergedObject {
  readonly state: DocumentObject;
  readonly metadata: MetadataObject;
}

function mergeObject(old: MergedObject, patch: DocumentObject, merge: Merge): MergedObject {
  const state: OpenObject = { ...old.state };
  const metadata: OpenMetadata = { ...old.metadata };
  for (const [key, value] of Object.entries(patch)) {
    const before = valueAt(old.state, key);
    merge.path.push(key);
    if (value === null) {
      if (before !== undefined) note(merge.log, merge.path, "removed", before);
      delete state[key];
      delete metadata[key];
    } else {
      const merged = isObject(value)
        ? mergeInto(before, valueAt(old.metadata, key), value, merge)
        : replaced(before, value, merge);
      setKey(state, key, merged.value);
      setKey(metadata, key, merged.metadata);
    }
    merge.path.pop();
  }
  return { state, metadata };
}

interface MergedValue {
  readonly value: DocumentValue;
  readonly metadata: DocumentMetadata;
}

/** An object merges into an object, or replaces any other value. */
function mergeInto(
  before: DocumentValue | undefined,
  known: DocumentMetadata | undefined,
  patch: DocumentObject,
  merge: Merge,
): MergedValue {
  const isMerge = isObject(before);
  if (before !== undefined && !isMerge) note(merge.log, merge.path, "updated", before, patch);
  else if (!isMerge && Object.keys(patch).length === 0)
    note(merge.log, merge.path, "added", undefined, patch);
  const old = {
    state: isMerge ? before : {},
    metadata: isMerge && isMetadataObject(known) ? known : {},
  };
  const { state, metadata } = mergeObject(old, patch, merge);
  return { value: state, metadata: isEmpty(state) ? merge.seconds : metadata };
}

function replaced(before: DocumentValue | undefined, value: DocumentValue, merge: Merge): MergedValue {
  const kind = before === undefined ? "added" : isSameValue(before, value) ? "unchanged" : "updated";
  note(merge.log, merge.path, kind, before, value);
  return { value, metadata: metadataOf(value, merge.seconds) };
}
