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
import { managedValue } from "./merge-by-time.ts";
import type { Section } from "./merge-patch.ts";
import { type DocumentMetadata, isMetadataObject, type OpenMetadata } from "./metadata.ts";
import { type MergeLog, note, type Path } from "./value-change.ts";

/** Options of {@link acknowledge}. */
export interface AcknowledgeRule {
  /** Whether values without their own time are acknowledged too; not in the original. */
  readonly plain: boolean;
}

/**
 * The desired half without the values that the device reports, whatever their times. Objects that become
 * empty are removed too; other desired values stay. The desired half then contains what remains to be done.
 */
export function acknowledge(
  desired: Section,
  reported: DocumentValue | undefined,
  rule: AcknowledgeRule,
  log: MergeLog,
): Section {
  if (desired.state === undefined || !isObject(reported)) return desired;
  const left = leftOf(desired.state, desired.metadata ?? {}, reported, { rule, log, path: [] });
  if (!left.changed) return desired;
  return Object.keys(left.state).length === 0 ? {} : { state: left.state, metadata: left.metadata };
}

interface Walk {
  readonly rule: AcknowledgeRule;
  readonly log: MergeLog;
  readonly path: Path;
}

interface Left {
  readonly state: DocumentObject;
  readonly metadata: OpenMetadata;
  readonly changed: boolean;
}

function leftOf(
  desired: DocumentObject,
  known: DocumentMetadata,
  reported: DocumentObject,
  walk: Walk,
): Left {
  const state: OpenObject = {};
  const metadata: OpenMetadata = {};
  let changed = false;
  const keep = (key: string, value: DocumentValue, times: DocumentMetadata | undefined) => {
    setKey(state, key, value);
    if (times !== undefined) setKey(metadata, key, times);
  };
  for (const [key, wanted] of Object.entries(desired)) {
    const found = valueAt(reported, key);
    const times = isMetadataObject(known) ? valueAt(known, key) : undefined;
    const within = { ...walk, path: [...walk.path, key] };
    if (isAcknowledged(wanted, found, walk.rule)) {
      note(walk.log, within.path, "acknowledged", wanted);
      changed = true;
    } else if (isPlainObject(wanted) && isPlainObject(found)) {
      const part = leftOf(wanted, times ?? {}, found, within);
      changed ||= part.changed;
      if (!part.changed) keep(key, wanted, times);
      else if (Object.keys(part.state).length > 0) keep(key, part.state, part.metadata);
    } else keep(key, wanted, times);
  }
  return { state, metadata, changed };
}

function isPlainObject(value: DocumentValue | undefined): value is DocumentObject {
  return isObject(value) && managedValue(value) === undefined;
}

function isAcknowledged(
  wanted: DocumentValue,
  found: DocumentValue | undefined,
  rule: AcknowledgeRule,
): boolean {
  if (found === undefined) return false;
  const [desired, reported] = [managedValue(wanted), managedValue(found)];
  if (desired !== undefined && reported !== undefined) return isSameValue(desired.value, reported.value);
  if (isList(wanted) && isList(found) && wanted.length > 0 && wanted.some((each) => managedValue(each)))
    return wanted.length <= found.length && wanted.every((each, at) => isAcknowledged(each, found[at], rule));
  // Objects are acknowledged key by key, empty ones as values.
  if (isObject(wanted) && Object.keys(wanted).length > 0) return false;
  return rule.plain && desired === undefined && reported === undefined && isSameValue(wanted, found);
}
