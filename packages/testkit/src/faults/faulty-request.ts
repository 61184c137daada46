import type { CallOptions, Clock, Dispatch, OperationName } from "@tablekeep/core";
import type { SeededRandom } from "../random/seeded-random.ts";
import type { ChangeMemory } from "./change-memory.ts";
import type { TableKeys } from "./table-keys.ts";

/** One request on its way through the faults that hit it. */
export interface FaultyRequest {
  /** Its number, counted from 1 over all requests of the port. */
  readonly number: number;
  readonly operation: OperationName;
  readonly input: object;
  readonly options: CallOptions;
  /** Whether it may change something: a failure after sending is then ambiguous. */
  readonly write: boolean;
}

/** Passes a request on, to the next fault or to the port. */
export type Send = (request: FaultyRequest) => Promise<object>;

/** The shared state of the faults of one port. */
export interface FaultWorld {
  readonly clock: Clock;
  /** The port itself, past all faults; requests made here are not counted. */
  readonly direct: Dispatch;
  readonly tableKeys: TableKeys;
  readonly changes: ChangeMemory;
  /** The batch items that stay unprocessed, and for how many more requests. */
  readonly heldItems: Map<string, number>;
  /** Where a page that was forced to be empty really ended: its made-up key to the true one, if any. */
  readonly pageStarts: Map<string, object | undefined>;
  /** Tracks work that may outlive the call that caused it. */
  track(work: Promise<unknown>): void;
}

/** What one kind of fault does to a request. `random` makes the fault's own for this request. */
export type Injection<Parameters> = (
  request: FaultyRequest,
  send: Send,
  parameters: Parameters,
  world: FaultWorld,
  random: () => SeededRandom,
) => Promise<object>;
