import {
  type EventsView,
  type Journal,
  JournalError,
  type JournalEvent,
  type Snapshot,
  type Snapshots,
  viewEvents,
  viewTail,
} from "@tablekeep/journal";
import type { EntityRef } from "../definition/entity-definition.ts";
import { type StartingState, startFrom } from "./find-snapshot.ts";
import type { RecoveryOptions } from "./recovery-options.ts";
import type { TailLimits } from "./tail-limits.ts";

/** Where events and snapshots are stored. */
export interface Sources {
  readonly journal: Journal;
  readonly snapshots?: Snapshots;
  readonly tailLimits: TailLimits;
}

/** The journal of an entity, after the snapshot to start from. The bounds are read only when needed. */
export interface JournalTail {
  highest(): Promise<number>;
  lowest(): Promise<number>;
  /** The events after the snapshot; undefined if there are certainly none. */
  readonly events: AsyncIterable<JournalEvent> | undefined;
  /** Whether the journal is certainly packed: it has no holes, so a missing event was deleted. @default false */
  readonly isPacked?: boolean;
}

/** A state to start from, and the journal after it. */
export interface StartingPoint {
  /** Undefined to start from the first event. */
  readonly start: StartingState | undefined;
  readonly tail: JournalTail;
}

/** How the journal of an entity is read. */
export interface TailSource {
  /** Opens the journal at the first sequence number after the snapshot. */
  open(from: number): Promise<JournalTail>;
  /** Reads the newest snapshot and the journal after it with one request; undefined if that is not possible. */
  openWithSnapshot(): Promise<StartingPoint | undefined>;
}

/** Reads the journal without taking the entity over. */
export function readOnlyTail(sources: Sources, entity: EntityRef, options: RecoveryOptions): TailSource {
  const { journal, snapshots, tailLimits } = sources;
  const { persistenceId, address } = entity;
  const { signal, deadlineMs } = options;
  const call = { signal, deadlineMs };
  return {
    async open(from) {
      const view = await viewEvents(journal, persistenceId, { from, ...call });
      if (view !== undefined) return tailOf(view, from);
      return {
        highest: () => journal.highestSequenceNr(persistenceId, call),
        lowest: () => journal.lowestSequenceNr(persistenceId, call),
        events: journal.replay(persistenceId, { from, ...call }),
      };
    },
    async openWithSnapshot() {
      if (snapshots === undefined || !isNewest(options)) return undefined;
      const limit = tailLimits.limitOf(address.entity);
      const view = await viewTail(journal, snapshots, persistenceId, { ...call, limit });
      if (view === undefined) return undefined;
      tailLimits.record(address.entity, view.items);
      return startingPoint(entity, view);
    },
  };
}

/** Whether the options allow only the newest state, from the newest snapshot. */
function isNewest({ toSequenceNr, toTimestamp, maxEvents, snapshot }: RecoveryOptions): boolean {
  return [toSequenceNr, toTimestamp, maxEvents, snapshot].every((bound) => bound === undefined);
}

/** Returns where to start from what was read with one request; undefined if an older snapshot, or all events, may do. */
export function startingPoint(
  entity: EntityRef,
  view: EventsView & { readonly snapshot: Snapshot | undefined },
): StartingPoint | undefined {
  const start = view.snapshot && startFrom(entity, view.snapshot);
  if (view.snapshot !== undefined && start === undefined) return undefined;
  const tail = tailOf(view, (start?.sequenceNr ?? 0) + 1);
  return { start, tail: { ...tail, isPacked: true } };
}

/** The tail of a journal whose bounds are known. */
export function tailOf(
  { highestSequenceNr, lowestSequenceNr, events }: EventsView,
  from: number,
): JournalTail {
  return {
    highest: async () => highestSequenceNr,
    lowest: async () => lowestSequenceNr,
    events: highestSequenceNr < from ? undefined : events,
  };
}

/** Returns the journal's error for an event that was deleted before it could be applied: the recovery starts again. */
export function replayTrimmed(
  persistenceId: string,
  sequenceNr: number,
  lowest: number,
): JournalError<"JOURNAL_REPLAY_TRIMMED"> {
  const message = `${persistenceId}: event ${sequenceNr} was deleted during the replay: start again at ${lowest}`;
  const details = { persistenceId, sequenceNr, lowest, gaveEvents: false };
  return new JournalError("JOURNAL_REPLAY_TRIMMED", message, details);
}
