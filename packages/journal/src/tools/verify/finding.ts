/** The severity of a finding. */
export type Severity =
  /** A replay fails, or returns less than was stored. */
  | "error"
  /** A replay is correct, but the original's readers, or code that expects every sequence number, may fail. */
  | "warning"
  /** Left over: it uses a little space and has no effect. */
  | "info";

/** The kinds of findings of {@link verifyJournal}, with their severity, as listed in `docs/how-to/journal-tools.md`. */
export const findingSeverities = {
  /** An item in no known event format. */
  "row-corrupt": "error",
  /** An event's bytes are not those that were stored. */
  "checksum-mismatch": "error",
  /** A payload that its serializer cannot read. */
  "payload-unreadable": "error",
  /** A row whose id or sequence number differs from its key. */
  "wrong-key": "error",
  /** Sequence numbers without a row, among or before Tablekeep rows, or with a high mark of Tablekeep. */
  gap: "error",
  /** Sequence numbers without a row, among rows of the original: replays skip them. */
  hole: "warning",
  /** A part of an atomic write of Tablekeep. */
  "half-batch": "error",
  /** A part of an atomic write of the original: never replayed. */
  "original-half-batch": "warning",
  /** A tombstone, or a row that was never committed, where an event should be. */
  "event-missing": "error",
  /** An event of a superseded writer: replays skip it. */
  "old-writer": "warning",
  /** Events above the highest sequence number that the marks lead to: never replayed. */
  "events-beyond-end": "error",
  /** Events above the high marks: the original does not find them. */
  "high-mark-missing": "warning",
  /** A mark in the wrong shard. */
  "mark-misplaced": "warning",
  /** A mark in a shard that is not read: numbers that are in use would be assigned again. */
  "mark-unread": "error",
  /** A batch is staged, by a running writer or by one that died. */
  "stage-open": "info",
  /** Rows of a staged batch that was never committed. */
  "staged-rows-left": "warning",
  /** A commit record without its batch. */
  "commit-record-left": "info",
  /** Events below the low mark, left by an incomplete deletion. */
  "deleted-rows-left": "info",
  /** Expired tombstones. */
  "tombstones-left": "info",
  /** An id that is not in the registry. */
  "not-registered": "info",
  /** An id that is in the registry twice. */
  "registered-twice": "warning",
} as const;

export type FindingKind = keyof typeof findingSeverities;

/** One problem. */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly persistenceId: string;
  /** The sequence numbers concerned; undefined if it concerns the whole id. */
  readonly from?: number;
  readonly to?: number;
  /** One line of plain text. */
  readonly message: string;
  /** The repair; undefined if none is possible without losing data. */
  readonly repair?: Repair;
}

/** A change that fixes a finding. Each is conditional, and does nothing if it is no longer needed. */
export type Repair =
  | { readonly action: "raise-high-mark"; readonly to: number }
  | { readonly action: "clear-stage" }
  | {
      readonly action: "remove-staged-rows";
      readonly writeId: string;
      readonly first: number;
      readonly last: number;
    }
  | { readonly action: "remove-commit-record"; readonly writeId: string; readonly first: number }
  | {
      readonly action: "drop-deleted";
      /** Where rows begin to be dropped; undefined if there are none. */
      readonly rowsFrom?: number;
      /** Where tombstones begin to be removed; undefined if none is due. */
      readonly tombsFrom?: number;
    }
  | { readonly action: "register" }
  | { readonly action: "unregister-duplicates" };

/** A finding of this kind. */
export function finding(
  kind: FindingKind,
  persistenceId: string,
  message: string,
  more: Pick<Finding, "from" | "to" | "repair"> = {},
): Finding {
  return { kind, severity: findingSeverities[kind], persistenceId, message, ...more };
}

/** Returns `number 7`, or `numbers 7 to 9`. */
export function numbersText(from: number, to: number): string {
  return from === to ? `number ${from}` : `numbers ${from} to ${to}`;
}
