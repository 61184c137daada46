/**
 * One thing that happened in a run, as plain data that can be printed, stored and checked later. Every operation has one
 * `invoke` and at most one end; one without an end was cut off, and counts as `unknown`.
 */
export type HistoryEvent<Operation, Value> =
  | (HistoryMoment & { readonly type: "invoke"; readonly operation: Operation })
  | (HistoryMoment & { readonly type: "ok"; readonly value: Value })
  | (HistoryMoment & { readonly type: "rejected"; readonly error: string })
  | (HistoryMoment & { readonly type: "conflict"; readonly error: string })
  | (HistoryMoment & { readonly type: "unknown"; readonly error: string });

/** When an event happened, whose it is and which operation it belongs to. */
export interface HistoryMoment {
  /** Its place in the history, from 0: the real-time order. */
  readonly index: number;
  /** Milliseconds by the recorder's monotonic clock. */
  readonly at: number;
  /** Who did it. One actor may have several operations open at once. */
  readonly actor: string;
  /** The number of its operation, from 1. */
  readonly id: number;
}

/** A whole run. */
export type History<Operation, Value> = readonly HistoryEvent<Operation, Value>[];

/** One operation with both its ends. */
export interface HistoryOperation<Operation, Value> {
  readonly id: number;
  readonly actor: string;
  readonly operation: Operation;
  /** The index of its `invoke`. */
  readonly invoked: number;
  /** The index of its end; infinity if it has none, or if it may take effect at any later time. */
  readonly ended: number;
  readonly outcome: "ok" | "rejected" | "conflict" | "unknown";
  /** What it gave back, if it is `ok`. */
  readonly value?: Value;
  /** The code of its error, if it is not. */
  readonly error?: string;
}
