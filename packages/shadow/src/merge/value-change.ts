import { pointerOf } from "../document/document-attributes.ts";
import type { DocumentValue } from "../document/document-value.ts";
import type { Half } from "../model/shadow-error.ts";

/** The change to one value in a request. */
export interface ValueChange {
  readonly half: Half;
  /** Its place, as a JSON pointer; "" for the whole half. */
  readonly path: string;
  /** `acknowledged`: a desired value was removed because the device reported it. */
  readonly kind: "added" | "updated" | "removed" | "acknowledged" | "unchanged";
  /** Undefined if there was none. */
  readonly before?: DocumentValue;
  /** Undefined if it was removed. */
  readonly after?: DocumentValue;
}

/** The half that is merged, and the changes so far. */
export interface MergeLog {
  readonly half: Half;
  readonly changes: ValueChange[];
}

/** A place in a document. */
export type Path = readonly (string | number)[];

/** Records the change to the value at `path`. */
export function note(
  log: MergeLog,
  path: Path,
  kind: ValueChange["kind"],
  before?: DocumentValue,
  after?: DocumentValue,
): void {
  log.changes.push({ half: log.half, path: pointerOf(path), kind, before, after });
}
