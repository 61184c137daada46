import type { Projection } from "./projection.ts";

/** An event to wait for: of an id, or all up to a position of the feed. */
export type ReachedTarget =
  | { readonly persistenceId: string; readonly sequenceNr: number }
  | { readonly position: string };

/** Options of a wait. */
export interface ReachedOptions {
  /** Ends the wait with `PROJECTION_ABORTED`. */
  readonly signal?: AbortSignal;
  /** Ends the wait with `PROJECTION_DEADLINE_EXCEEDED`, in milliseconds. @default 30,000 */
  readonly deadlineMs?: number;
}

/** The work of this process for one projection. */
export interface RunningStatus {
  readonly name: string;
  readonly version: number;
  /** The slices whose events this process applies. */
  readonly slices: readonly number[];
  /** Number of events that this process has handled, filtered ones not counted. */
  readonly events: number;
  /** Why the last attempt failed; undefined if it did not. */
  readonly lastError?: string;
}

/** Running projections. */
export interface RunningProjections extends AsyncDisposable {
  /** The name of this process in the status of projections. */
  readonly runner: string;
  /**
   * Waits until a projection has applied an event, in any process. Throws `PROJECTION_EVENT_PARKED` if it was parked.
   *
   * @example
   * await running.reached(balances, { persistenceId: "account|1", sequenceNr: 7 });
   */
  reached(projection: Projection, target: ReachedTarget, options?: ReachedOptions): Promise<void>;
  /**
   * Returns the work of this process.
   *
   * @example
   * for (const { name, slices } of running.status()) console.log(name, slices);
   */
  status(): RunningStatus[];
  /**
   * Stops after the groups in flight, and frees the slices for others.
   *
   * @example
   * await running.stop();
   */
  stop(): Promise<void>;
}
