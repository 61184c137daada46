import type { RowKind } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";

/** The subject of a finding. */
export type ShadowFindingKind =
  | "corrupt"
  | "duplicate"
  | "version-behind"
  | "attribute-names"
  | "metadata"
  | "not-an-object"
  | "history-missing"
  | "history-differs"
  | "history-ahead"
  | "history-orphan";

/** One problem of a stored shadow. */
export interface ShadowFinding extends ShadowId {
  readonly kind: ShadowFindingKind;
  /** An error is damage, a warning is something that only other programs cause, a note is harmless. */
  readonly severity: "error" | "warning" | "info";
  readonly item: RowKind;
  readonly message: string;
}
