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
import {
  type DocumentMetadata,
  isMetadataObject,
  type MetadataObject,
  type OpenMetadata,
} from "./metadata.ts";

/**
 * Returns the desired values that are not reported: keys that are absent or differ, objects by their own difference, lists
 * as a whole. Undefined if there are none. Keys that are only reported are not part of it.
 *
 * @example
 * deltaOf({ on: true, level: 1 }, { on: false, level: 1 }); // { on: true }
 */
export function deltaOf(
  desired: DocumentValue | undefined,
  reported: DocumentValue | undefined,
): DocumentObject | undefined {
  if (!isObject(desired)) return undefined;
  const delta = difference(desired, isObject(reported) ? reported : {});
  return Object.keys(delta).length === 0 ? undefined : delta;
}

function difference(desired: DocumentObject, reported: DocumentObject): DocumentObject {
  const delta: OpenObject = {};
  for (const [key, wanted] of Object.entries(desired)) {
    const found = valueAt(reported, key);
    if (isObject(wanted) && isObject(found)) {
      const part = difference(wanted, found);
      if (Object.keys(part).length > 0) setKey<DocumentValue>(delta, key, part);
    } else if (found === undefined || !isSameValue(wanted, found)) setKey(delta, key, wanted);
  }
  return delta;
}

/**
 * Returns the metadata of a delta, which is that of its desired values.
 *
 * @example
 * deltaMetadata({ on: true }, { on: 1700000000, level: 1600000000 }); // { on: 1700000000 }
 */
export function deltaMetadata(delta: DocumentObject, desired: MetadataObject): MetadataObject {
  const picked: OpenMetadata = {};
  for (const [key, value] of Object.entries(delta)) {
    const known = valueAt(desired, key);
    if (known !== undefined) setKey(picked, key, pick(value, known));
  }
  return picked;
}

function pick(value: DocumentValue, known: DocumentMetadata): DocumentMetadata {
  return isObject(value) && !isList(value) && isMetadataObject(known) ? deltaMetadata(value, known) : known;
}
