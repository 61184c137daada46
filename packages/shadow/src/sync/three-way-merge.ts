import {
  type DocumentObject,
  type DocumentValue,
  isList,
  isObject,
  isSameValue,
  type OpenObject,
  setKey,
  valueAt,
} from "../document/document-value.ts";
import { type DocumentMetadata, isMetadataObject, type MetadataObject, newestOf } from "../merge/metadata.ts";

/** Which value wins if both sides have changed it: the cloud's, this store's, or the one that was set later. */
export type ConflictRule = "cloud" | "local" | "newest";

/** The two halves of a shadow. */
export interface SyncedState {
  readonly desired?: DocumentObject;
  readonly reported?: DocumentObject;
}

/** One side of a merge: its state, and when the values were set, for the rule `newest`. */
export interface MergeSide {
  readonly state: SyncedState;
  readonly times?: { readonly desired?: MetadataObject; readonly reported?: MetadataObject };
}

/** The result of a merge. */
export interface MergedStates {
  readonly state: SyncedState;
  /** The number of values that both sides had changed, to different values. */
  readonly conflicts: number;
}

const halves = ["desired", "reported"] as const;

/**
 * Merges the changes that two sides made since they had the same state. A value that one side changed is taken from that side; objects are merged key by
 * key, lists are values. If both sides changed a value, the rule decides.
 *
 * @example
 * mergeStates({ desired: { a: 1, b: 1 } }, { state: { desired: { a: 2, b: 1 } } }, { state: { desired: { a: 1 } } }, "cloud");
 * // { state: { desired: { a: 2 } }, conflicts: 0 }
 */
export function mergeStates(
  base: SyncedState,
  local: MergeSide,
  cloud: MergeSide,
  rule: ConflictRule,
): MergedStates {
  const merge: Merge = { rule, conflicts: 0 };
  const state: { desired?: DocumentObject; reported?: DocumentObject } = {};
  for (const half of halves) {
    const values = {
      base: base[half] ?? {},
      local: local.state[half] ?? {},
      cloud: cloud.state[half] ?? {},
    };
    const merged = mergeObjects(values, { local: local.times?.[half], cloud: cloud.times?.[half] }, merge);
    if (Object.keys(merged).length > 0) state[half] = merged;
  }
  return { state, conflicts: merge.conflicts };
}

interface Merge {
  readonly rule: ConflictRule;
  conflicts: number;
}

interface Three<Value> {
  readonly base: Value;
  readonly local: Value;
  readonly cloud: Value;
}

interface Times {
  readonly local: DocumentMetadata | undefined;
  readonly cloud: DocumentMetadata | undefined;
}

function mergeObjects({ base, local, cloud }: Three<DocumentObject>, times: Times, merge: Merge): OpenObject {
  const merged: OpenObject = {};
  for (const key of new Set([...Object.keys(local), ...Object.keys(cloud)])) {
    const values = { base: valueAt(base, key), local: valueAt(local, key), cloud: valueAt(cloud, key) };
    const within = { local: timeAt(times.local, key), cloud: timeAt(times.cloud, key) };
    const value = mergeValues(values, within, merge);
    if (value !== undefined) setKey(merged, key, value);
  }
  return merged;
}

function timeAt(times: DocumentMetadata | undefined, key: string): DocumentMetadata | undefined {
  return isMetadataObject(times) ? valueAt(times, key) : undefined;
}

/** Undefined stands for a missing value. */
function mergeValues(
  values: Three<DocumentValue | undefined>,
  times: Times,
  merge: Merge,
): DocumentValue | undefined {
  const { base, local, cloud } = values;
  if (isSameValue(local, cloud)) return local;
  if (isSameValue(base, local)) return cloud;
  if (isSameValue(base, cloud)) return local;
  const parts = {
    base: isObject(base) ? base : {},
    local: partsOf(local, base),
    cloud: partsOf(cloud, base),
  };
  if (parts.local !== undefined && parts.cloud !== undefined) {
    const merged = mergeObjects(parts as Three<DocumentObject>, times, merge);
    const isRemoved = local === undefined || cloud === undefined;
    return isRemoved && Object.keys(merged).length === 0 ? undefined : merged;
  }
  merge.conflicts++;
  return isLocal(values, times, merge.rule) ? local : cloud;
}

/** The keys of an object; none for a removed one, so that only the other side's changes in it are conflicts. */
function partsOf(
  value: DocumentValue | undefined,
  base: DocumentValue | undefined,
): DocumentObject | undefined {
  if (isObject(value)) return value;
  return value === undefined && isObject(base) ? {} : undefined;
}

/** A removed value has no time, so the other one counts as newer. If both have the same second, the cloud's wins. */
function isLocal(
  { local, cloud }: Three<DocumentValue | undefined>,
  times: Times,
  rule: ConflictRule,
): boolean {
  if (rule !== "newest") return rule === "local";
  if (local === undefined || cloud === undefined) return cloud === undefined;
  return newestOf(times.local) > newestOf(times.cloud);
}

/** Changes to both halves. */
export interface StatePatch {
  readonly desired?: DocumentObject;
  readonly reported?: DocumentObject;
}

/**
 * Returns the patch that turns one state into another by AWS IoT's merge, in which null removes a key. Undefined if they are the same.
 *
 * @example
 * statePatch({ desired: { a: 1, b: 1 } }, { desired: { a: 2 } }); // { desired: { a: 2, b: null } }
 */
export function statePatch(from: SyncedState, to: SyncedState): StatePatch | undefined {
  const parts = halves.flatMap((half) => {
    const patch = patchOf(from[half] ?? {}, to[half] ?? {});
    return Object.keys(patch).length === 0 ? [] : [[half, patch] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

function patchOf(from: DocumentObject, to: DocumentObject): OpenObject {
  const patch: OpenObject = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setKey<DocumentValue>(patch, key, null);
  for (const [key, wanted] of Object.entries(to)) {
    const found = valueAt(from, key);
    if (isObject(wanted) && isObject(found)) {
      const part = patchOf(found, wanted);
      if (Object.keys(part).length > 0) setKey<DocumentValue>(patch, key, part);
    } else if (!isSameValue(wanted, found)) setKey(patch, key, wanted);
  }
  return patch;
}

/** A patch that changes nothing: one existing value of the state, because a service may reject an empty patch. */
export function samePatch(state: SyncedState): StatePatch {
  for (const half of halves) {
    const patch = firstValue(state[half] ?? {});
    if (patch !== undefined) return { [half]: patch };
  }
  return { desired: {} };
}

function firstValue(object: DocumentObject): DocumentObject | undefined {
  for (const [key, value] of Object.entries(object)) {
    const part = isObject(value) ? firstValue(value) : value;
    const patch: OpenObject = {};
    if (part !== undefined) setKey(patch, key, part);
    if (part !== undefined) return patch;
  }
  return undefined;
}

/** Whether two states are equal. An empty half equals a missing one. */
export function isSameState(one: SyncedState, other: SyncedState): boolean {
  return halves.every((half) => isSameValue(one[half] ?? {}, other[half] ?? {}));
}

/** A state in the form of JSON documents: tables that others wrote may contain nulls, bytes and sets. */
export function plainState({ desired, reported }: SyncedState): SyncedState {
  return {
    ...(desired && { desired: withoutNulls(desired) as DocumentObject }),
    ...(reported && { reported: withoutNulls(reported) as DocumentObject }),
  };
}

function withoutNulls(value: DocumentValue): DocumentValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Set) return [...(value as ReadonlySet<DocumentValue>)].map(withoutNulls);
  if (isList(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: OpenObject = {};
  for (const [key, each] of Object.entries(value)) if (each !== null) setKey(kept, key, withoutNulls(each));
  return kept;
}
