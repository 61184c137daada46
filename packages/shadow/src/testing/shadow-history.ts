/** What was asked of a shadow, as it stands in a history. `key` names the shadow, or the half that has a version of its own. */
export type ShadowDeed =
  | {
      readonly kind: "write";
      readonly key: string;
      /** Tells the write apart: no two of a history have the same. */
      readonly text: string;
      /** The version that was expected; undefined for any, 0 for none. */
      readonly expected?: number | undefined;
    }
  | { readonly kind: "read"; readonly key: string }
  | { readonly kind: "delete"; readonly key: string; readonly expected?: number | undefined };

/** What came of it. */
export interface ShadowFinding {
  /** The version that was written, read or deleted; undefined where a read found nothing. */
  readonly version?: number | undefined;
  /** Of a read: the text of the write that it shows. */
  readonly text?: string | undefined;
}

/** One operation with both its ends, as testkit's `operationsOf` gives it. */
export interface ShadowDeedEnd {
  readonly operation: ShadowDeed;
  readonly invoked: number;
  /** Infinite for one that never ended, or may still take effect. */
  readonly ended: number;
  readonly outcome: "ok" | "rejected" | "conflict" | "unknown";
  readonly value?: ShadowFinding;
}

/** What a history must never show. */
export interface ShadowViolation {
  /** L1 to L6. */
  readonly rule: string;
  readonly key: string;
  /** One line for people. */
  readonly message: string;
}
