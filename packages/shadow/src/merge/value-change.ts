import type { DocumentValue } from "../document/document-value.ts";
import { pointerOf } from "../document/attribute-value.ts";
import type { Half } from "../model/shadow-error.ts";

/** What became of one value that a request named. */
export interface ValueChange {
  readonly half: Half;
  /** Where, as a JSON pointer; "" for the whole half. */
  readonly path: string;
  /** `acknowledged`: a desired value went because the device reported it. */
  readonly kind: "added" | "updated" | "removed" | "acknowledged" | "unchanged";
  /** Undefined where there was none. */
  readonly before?: DocumentValue | undefined;
  /** Undefined where there is none any more. */
  readonly after?: DocumentValue | undefined;
}

/** Where a merge is at, and what it has found so far. */
export interface MergeLog {
  readonly half: Half;
  readonly changes: ValueChange[];
}

/** A place in a document. */
export type Path = readonly (string | number)[];

/** Notes what became of the value at `path`. */
export function note(
  log: MergeLog,
  path: Path,
  kind: ValueChange["kind"],
  before?: DocumentValue | undefined,
  after?: DocumentValue | undefined,
): void {
  log.changes.push({ half: log.half, path: pointerOf(path), kind, before, after });
}
