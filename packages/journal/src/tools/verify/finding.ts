/** How bad a finding is. */
export type Severity =
  /** A replay fails, or gives less than was stored. */
  | "error"
  /** A replay here is right; readers of the original, or people who expect every number, are not. */
  | "warning"
  /** Left over: it costs a little space and harms nobody. */
  | "info";

/** What {@link verifyJournal} can find, and how bad it is. `docs/how-to/journal-tools.md` lists the same. */
export const findingSeverities = {
  /** An item that is no event as anybody writes it. */
  "row-corrupt": "error",
  /** An event's bytes are not those that were stored. */
  "checksum-mismatch": "error",
  /** A payload that its serializer cannot read. */
  "payload-unreadable": "error",
  /** A row whose id or number is not that of its key. */
  "wrong-key": "error",
  /** Numbers without a row, among or before rows of ours, or with a high mark of ours. */
  gap: "error",
  /** Numbers without a row, among rows of the original: replays pass over them. */
  hole: "warning",
  /** A part of an atomic write of ours. */
  "half-batch": "error",
  /** A part of an atomic write of the original: never replayed. */
  "original-half-batch": "warning",
  /** A tombstone, or a row that was never committed, where an event should be. */
  "event-missing": "error",
  /** An event of a writer that another had followed: replays leave it out. */
  "old-writer": "warning",
  /** Events above the highest number that is found: never replayed. */
  "events-beyond-end": "error",
  /** Events above what the high marks tell: the original does not see them. */
  "high-mark-missing": "warning",
  /** A mark in a shard that is not its own. */
  "mark-misplaced": "warning",
  /** A batch is staged: by a writer that is at it, or by one that died. */
  "stage-open": "info",
  /** Rows of a staged batch that was never committed. */
  "staged-rows-left": "warning",
  /** A commit record without its batch. */
  "commit-record-left": "info",
  /** Events below the low mark, left by a deletion that was cut short. */
  "deleted-rows-left": "info",
  /** Tombstones whose time is over. */
  "tombstones-left": "info",
  /** An id that the registry does not know. */
  "not-registered": "info",
  /** An id that the registry has twice. */
  "registered-twice": "warning",
} as const;

export type FindingKind = keyof typeof findingSeverities;

/** One thing that is not as it should be. */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  readonly persistenceId: string;
  /** The numbers that it is about; undefined where it is about the id. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** One line for people. */
  readonly message: string;
  /** What would heal it; undefined if nothing does without a loss. */
  readonly repair?: Repair | undefined;
}

/** A change that heals a finding. Each is conditional, and does nothing where it is not needed any more. */
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
      readonly rowsFrom?: number | undefined;
      /** Where tombstones begin to be removed; undefined if none is due. */
      readonly tombsFrom?: number | undefined;
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

/** `number 7`, or `numbers 7 to 9`. */
export function numbersText(from: number, to: number): string {
  return from === to ? `number ${from}` : `numbers ${from} to ${to}`;
}
