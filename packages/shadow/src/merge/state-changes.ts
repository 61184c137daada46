import {
  type DocumentObject,
  type DocumentValue,
  isObject,
  isSameValue,
  valueAt,
} from "../document/document-value.ts";
import { type MergeLog, note, type Path, type ValueChange } from "./value-change.ts";

/** Both states of a shadow. */
export interface HalfStates {
  readonly reported?: DocumentObject;
  readonly desired?: DocumentObject;
}

/** The values that differ between two versions of a shadow. */
export function stateChanges(before: HalfStates | undefined, after: HalfStates | undefined): ValueChange[] {
  const changes: ValueChange[] = [];
  for (const half of ["reported", "desired"] as const)
    compare(before?.[half], after?.[half], [], { half, changes });
  return changes;
}

function compare(
  before: DocumentValue | undefined,
  after: DocumentValue | undefined,
  path: Path,
  log: MergeLog,
): void {
  if (isSameValue(before, after)) return;
  const old = before ?? {};
  if (isObject(old) && isObject(after) && !(before === undefined && Object.keys(after).length === 0)) {
    for (const key of new Set([...Object.keys(old), ...Object.keys(after)]))
      compare(valueAt(old, key), valueAt(after, key), [...path, key], log);
  } else if (before === undefined) note(log, path, "added", undefined, after);
  else if (after === undefined) note(log, path, "removed", before);
  else note(log, path, "updated", before, after);
}

/** The value at a JSON pointer. */
export function valueAtPointer(
  document: DocumentObject | undefined,
  pointer: string,
): DocumentValue | undefined {
  let value: DocumentValue | undefined = document;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = isObject(value) ? valueAt(value, key) : undefined;
  }
  return value;
}
