/** An operation of a journal, as recorded in a history. */
export type JournalHistoryOperation =
  | { readonly kind: "recover"; readonly persistenceId: string }
  | {
      readonly kind: "append";
      readonly persistenceId: string;
      readonly writerUuid: string;
      /** For each atomic write, the strings that identify its events. They are unique within a history. */
      readonly writes: readonly (readonly string[])[];
      /** Of an append without a writer: the highest sequence number that it expects. `writerUuid` is then any unique string. */
      readonly expected?: number | "none" | "any";
    }
  | {
      readonly kind: "replay";
      readonly persistenceId: string;
      readonly from?: number;
      readonly to?: number;
      readonly max?: number;
    }
  | { readonly kind: "highest"; readonly persistenceId: string }
  | { readonly kind: "deleteTo"; readonly persistenceId: string; readonly to: number };

/** The result of one atomic write. */
export type SeenWrite =
  | { readonly kind: "ok"; readonly first: number; readonly last: number }
  | { readonly kind: "rejected" | "conflict" | "unknown" };

/** An event as a replay gave it. */
export interface SeenEvent {
  readonly sequenceNr: number;
  readonly text: string;
  readonly writerUuid: string;
}

/** A journal's answer, by kind of operation. */
export interface JournalHistoryResult {
  /** Of a recovery, of `highest`, and of an append without a writer that is a conflict. */
  readonly highest?: number;
  /** Of a recovery. */
  readonly writerUuid?: string;
  /** Of an append, in the order of its writes. */
  readonly writes?: readonly SeenWrite[];
  /** Of a replay that came to its end. */
  readonly events?: readonly SeenEvent[];
}

/**
 * One operation with both its ends: what testkit's `operationsOf` makes of a history. `invoked` and `ended` are places in
 * the order of time; one that never ended, or may still take effect, has an infinite end.
 */
export interface JournalHistoryEntry {
  readonly operation: JournalHistoryOperation;
  readonly invoked: number;
  readonly ended: number;
  readonly outcome: "ok" | "rejected" | "conflict" | "unknown";
  readonly value?: JournalHistoryResult;
}

/** A violation in a history. */
export interface HistoryViolation {
  /** J1 to J10. */
  readonly rule: string;
  readonly persistenceId: string;
  /** One line of plain text. */
  readonly message: string;
}
