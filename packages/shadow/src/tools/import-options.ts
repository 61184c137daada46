import type { RowKind } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import type { ShadowToolOptions } from "./tool-call.ts";

/** How to handle a shadow that the table already has in another state. */
export type ExistingRule = "conflict" | "keep" | "replace-older";

/** A shadow that was not imported, because the table has another state of it. */
export interface ImportConflict extends ShadowId {
  readonly kind: RowKind;
  /** The version in the export. */
  readonly version: number;
  /** The stored version; undefined if the shadow is stored in the other model. */
  readonly current: number | undefined;
}

/** Options of an import. */
export interface ImportShadowsOptions extends ShadowToolOptions {
  /**
   * How to handle a shadow that the table has in another state: `keep` leaves it, `replace-older` replaces it if its version is lower
   * than that of the export, and `conflict` leaves and reports it. @default "conflict"
   */
  readonly existing?: ExistingRule;
  /** Called for each conflict. @default none */
  readonly onConflict?: (conflict: ImportConflict) => void;
}
