import type { JournalWriter } from "@tablekeep/journal";
import type { EntityRef } from "../definition/entity-definition.ts";
import type { ResolvedOptions } from "../host-options.ts";
import type { CommandLedger } from "../ledger/command-ledger.ts";
import type { TailLimits } from "../recovery/tail-limits.ts";
import type { AskQueue } from "./ask-queue.ts";
import type { PendingAsk } from "./pending-ask.ts";
import type { Slots } from "./slots.ts";
import type { Snapshotter } from "./snapshotter.ts";

/** The shared state of all cells of a host. */
export interface HostContext extends ResolvedOptions {
  readonly ledger: CommandLedger | undefined;
  /** Limits how many entities work at the same time. */
  readonly working: Slots;
  readonly snapshotter: Snapshotter;
  readonly tailLimits: TailLimits;
}

/** The recovered state of an entity, and the writer that may continue its journal. */
export interface LoadedEntity {
  readonly writer: JournalWriter;
  state: unknown;
  /** Sequence number of the last event in the state. */
  sequenceNr: number;
  /** Sequence number of the last snapshot. */
  snapshotNr: number;
  /** Latest timestamp of the events in the state, in milliseconds. */
  latest: number;
}

/** One entity in a host: its waiting commands and, once it is recovered, its state. */
export interface Cell {
  readonly context: HostContext;
  readonly entity: EntityRef;
  /** In order of arrival. Only turns of this cell remove commands. */
  readonly queue: AskQueue;
  loaded: LoadedEntity | undefined;
}

/** Returns commands to the front of the queue, in order, to be decided again. Drops those already answered. */
export function putBack({ queue }: Cell, asks: readonly PendingAsk[]): void {
  const waiting = asks.filter((ask) => !ask.answered);
  for (const ask of waiting) ask.writing = false;
  queue.putFirst(waiting);
}
