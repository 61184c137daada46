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
import { deltaOf } from "../merge/delta.ts";

/** The values of a state at the places that a patch changes. */
export function valuesAt(state: DocumentObject | undefined, patch: DocumentObject): DocumentObject {
  const found: OpenObject = {};
  for (const [key, change] of Object.entries(patch)) {
    const value = state && valueAt(state, key);
    if (value === undefined) continue;
    setKey(found, key, isObject(value) && isObject(change) ? valuesAt(value, change) : value);
  }
  return found;
}

/** Whether a state has the values of a patch; null values are missing. */
export function hasPatch(state: DocumentObject | undefined, patch: DocumentObject): boolean {
  return Object.entries(patch).every(([key, change]) => {
    const value = state && valueAt(state, key);
    if (change === null) return value === undefined;
    if (isObject(change)) return isObject(value) && hasPatch(value, change);
    return isSameValue(value, change);
  });
}

/** Whether the values of a patch are reported. Removed values need no report. */
export function isReported(reported: DocumentObject | undefined, patch: DocumentObject): boolean {
  return deltaOf(withoutNulls(patch), reported) === undefined;
}

/** Also omits objects that contain only nulls. An empty object is a value. */
function withoutNulls(patch: DocumentObject): DocumentObject {
  const kept: OpenObject = {};
  for (const [key, value] of Object.entries(patch)) {
    const rest = isObject(value) ? withoutNulls(value) : value;
    if (rest !== null && (!isEmpty(rest) || isEmpty(value))) setKey<DocumentValue>(kept, key, rest);
  }
  return kept;
}

/**
 * The patch that restores `before` in a state that has `patch`. Keys that others have added to an object of the patch stay.
 */
export function restoringPatch(
  patch: DocumentObject,
  before: DocumentObject,
  current: DocumentObject | undefined,
): DocumentObject {
  const restoring: OpenObject = {};
  for (const [key, change] of Object.entries(patch)) {
    const [had, has] = [valueAt(before, key), current && valueAt(current, key)];
    const isDeeper = isObject(change) && isObject(has) && (isObject(had) || hasOthers(has, change));
    const value = isDeeper ? restoringPatch(change, isObject(had) ? had : {}, has) : (had ?? null);
    setKey<DocumentValue>(restoring, key, value);
  }
  return restoring;
}

/** Whether an object has keys that a patch does not have. */
function hasOthers(value: DocumentObject, patch: DocumentObject): boolean {
  return Object.entries(value).some(([key, inner]) => {
    const change = valueAt(patch, key);
    if (change === undefined) return true;
    return isObject(inner) && isObject(change) && hasOthers(inner, change);
  });
}
