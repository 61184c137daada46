import { isTablekeepError } from "@tablekeep/core";
import {
  isJournalError,
  type Journal,
  JournalError,
  type JournalEvent,
  type Snapshots,
} from "@tablekeep/journal";
import { idErrorOf } from "../call-options.ts";
import type { EntityRef } from "../definition/entity-definition.ts";
import { readEvent } from "../definition/stored-event.ts";
import { type EntityAddress, EntityError } from "../entity-error.ts";
import { findSnapshot, type StartingState } from "./find-snapshot.ts";
import type { RecoveryOptions } from "./recovery-options.ts";

/** Where events and snapshots are stored. */
export interface Sources {
  readonly journal: Pick<Journal, "replay" | "highestSequenceNr" | "lowestSequenceNr">;
  readonly snapshots?: Snapshots;
}

/** A state rebuilt from the tables. */
export interface RebuiltState {
  readonly state: unknown;
  /** Sequence number of the last event in it; 0 if there is none. */
  readonly sequenceNr: number;
  /** Sequence number of the snapshot it starts from; 0 if it starts from none. */
  readonly snapshotNr: number;
  /** Latest timestamp of its events, in milliseconds; 0 if there is none. */
  readonly latest: number;
}

/** The journal of an entity, after the snapshot to start from. The bounds are read only when needed. */
export interface JournalTail {
  highest(): Promise<number>;
  lowest(): Promise<number>;
  /** The events after the snapshot; undefined if there are surely none. */
  readonly events: AsyncIterable<JournalEvent> | undefined;
}

/** Opens the journal of an entity at the first sequence number after the snapshot. */
export type OpenTail = (from: number) => Promise<JournalTail>;

/** A state to start from, and the journal after it. */
export interface StartingPoint {
  /** Undefined to start from the first event. */
  readonly start: StartingState | undefined;
  readonly tail: JournalTail;
}

/** How many times to start again because events were deleted meanwhile. */
const maxRestarts = 5;

/**
 * Rebuilds a state from the newest suitable snapshot and the events after it. `openTogether` reads both at once, if the
 * tables allow it. Reads the bounds of the journal after the
 * snapshot: the events of a snapshot are stored before it, so a journal that ends earlier has lost events.
 */
export async function rebuildState(
  sources: Sources,
  entity: EntityRef,
  options: RecoveryOptions = {},
  openTail: OpenTail = async (from) => readTail(sources, entity.persistenceId, options, from),
  openTogether?: () => Promise<StartingPoint | undefined>,
): Promise<RebuiltState> {
  const { address } = entity;
  for (let restarts = 0; ; restarts++) {
    try {
      return await rebuildOnce(sources, entity, options, openTail, openTogether);
    } catch (thrown) {
      const error = idErrorOf(thrown);
      if (isJournalError(error, "JOURNAL_REPLAY_TRIMMED") && restarts < maxRestarts) continue;
      if (isTablekeepError(error) && error.code.startsWith("ENTITY_")) throw error;
      const reason = isTablekeepError(error) ? error.message : "see the cause";
      const message = `${address.entity} ${address.id}: the state could not be rebuilt: ${reason}`;
      throw new EntityError("ENTITY_RECOVERY_FAILED", message, address, { cause: error });
    }
  }
}

/** Returns the journal for a reader that is not the writer. */
function readTail(
  { journal }: Sources,
  persistenceId: string,
  { signal, deadlineMs }: RecoveryOptions,
  from: number,
): JournalTail {
  return {
    highest: () => journal.highestSequenceNr(persistenceId, { signal, deadlineMs }),
    lowest: () => journal.lowestSequenceNr(persistenceId, { signal, deadlineMs }),
    events: journal.replay(persistenceId, { from, signal, deadlineMs }),
  };
}

async function rebuildOnce(
  sources: Sources,
  entity: EntityRef,
  options: RecoveryOptions,
  openTail: OpenTail,
  openTogether: (() => Promise<StartingPoint | undefined>) | undefined,
): Promise<RebuiltState> {
  const { address, definition } = entity;
  const together = await openTogether?.();
  const isWhole = together && (await together.tail.lowest()) <= (together.start?.sequenceNr ?? 0) + 1;
  const { start, tail } = isWhole ? together : await findStart(sources, entity, options, openTail);
  const from = start ?? { state: definition.initial(address.id), sequenceNr: 0, latest: 0 };
  const snapshotNr = from.sequenceNr;
  const rebuilt = await applyEvents(entity, options, from, tail);
  // An event after the snapshot proves that the journal reaches it.
  if (snapshotNr > 0 && rebuilt.sequenceNr === snapshotNr) {
    const highest = await tail.highest();
    if (highest < snapshotNr) throw snapshotAhead(address, snapshotNr, highest);
  }
  return { ...rebuilt, snapshotNr };
}

/** Returns the snapshot to start from, which covers every deleted event, and the journal as read after it. */
async function findStart(
  { snapshots }: Sources,
  { address, definition, persistenceId }: EntityRef,
  options: RecoveryOptions,
  openTail: OpenTail,
): Promise<StartingPoint> {
  const { toSequenceNr = Number.POSITIVE_INFINITY } = options;
  const find = async () => snapshots && findSnapshot(snapshots, definition, persistenceId, options);
  for (let restarts = 0; ; restarts++) {
    const start = await find();
    const tail = await openTail((start?.sequenceNr ?? 0) + 1);
    const lowest = await tail.lowest();
    const covers = ({ sequenceNr }: Pick<StartingState, "sequenceNr"> = { sequenceNr: 0 }) =>
      lowest <= sequenceNr + 1 || toSequenceNr <= sequenceNr;
    if (covers(start)) return { start, tail };
    // A snapshot saved meanwhile may cover the deleted events. It may also contain events above these bounds, so both are
    // read again.
    if (restarts >= maxRestarts || !covers(await find())) throw historyDeleted(address, lowest);
  }
}

/** Applies the events after `start`, as far as the options allow. */
async function applyEvents(
  entity: EntityRef,
  options: RecoveryOptions,
  start: StartingState,
  { events, lowest }: JournalTail,
): Promise<StartingState> {
  const { maxEvents = Number.POSITIVE_INFINITY } = options;
  const { toSequenceNr = Number.POSITIVE_INFINITY, toTimestamp = Number.POSITIVE_INFINITY } = options;
  let { state, sequenceNr, latest } = start;
  let left = maxEvents;
  if (events === undefined || left <= 0 || toSequenceNr <= sequenceNr) return start;
  for await (const stored of events) {
    if (sequenceNr === start.sequenceNr && stored.sequenceNr > sequenceNr + 1)
      await checkNotTrimmed(entity.persistenceId, sequenceNr + 1, lowest);
    if (stored.sequenceNr > toSequenceNr || stored.timestamp > toTimestamp) break;
    const event = readEvent(entity.definition, entity.address, stored);
    try {
      state = entity.definition.evolve(state, event);
    } catch (cause) {
      throw evolveFailed(entity.address, event.type, stored.sequenceNr, cause);
    }
    sequenceNr = stored.sequenceNr;
    latest = Math.max(latest, stored.timestamp);
    if (--left <= 0) break;
  }
  return { state, sequenceNr, latest };
}

/** Throws if the first event to apply was deleted meanwhile: then a newer snapshot contains it. */
async function checkNotTrimmed(
  persistenceId: string,
  sequenceNr: number,
  lowestOf: JournalTail["lowest"],
): Promise<void> {
  const lowest = await lowestOf();
  if (lowest <= sequenceNr) return;
  const message = `${persistenceId}: event ${sequenceNr} was deleted during the replay: start again at ${lowest}`;
  const details = { persistenceId, sequenceNr, lowest, gaveEvents: false };
  throw new JournalError("JOURNAL_REPLAY_TRIMMED", message, details);
}

function evolveFailed(
  address: EntityAddress,
  event: string,
  sequenceNr: number,
  cause: unknown,
): EntityError {
  const message = `${address.entity} ${address.id}: evolve threw for stored event ${sequenceNr} (${event}): see the cause`;
  return new EntityError("ENTITY_EVOLVE_FAILED", message, { ...address, event, sequenceNr }, { cause });
}

function historyDeleted(address: EntityAddress, lowest: number): EntityError {
  return new EntityError(
    "ENTITY_HISTORY_DELETED",
    `${address.entity} ${address.id}: events before ${lowest} were deleted, and no suitable snapshot contains them (if forget was interrupted, call it again)`,
    { ...address, lowest },
  );
}

function snapshotAhead(address: EntityAddress, snapshotNr: number, highest: number): EntityError {
  return new EntityError(
    "ENTITY_SNAPSHOT_AHEAD",
    `${address.entity} ${address.id}: the snapshot contains events up to ${snapshotNr}, but the journal ends at ${highest}: it was purged or restored without the snapshots (restore both to the same time, delete the snapshots above ${highest}, or call forget)`,
    { ...address, snapshotNr, highest },
  );
}
