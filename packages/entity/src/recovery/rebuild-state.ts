import { isTablekeepError } from "@tablekeep/core";
import { isJournalError, type JournalEvent } from "@tablekeep/journal";
import { idErrorOf } from "../call-options.ts";
import type { EntityRef } from "../definition/entity-definition.ts";
import { readEvent } from "../definition/event-payload.ts";
import { definitionFailed, type EntityAddress, EntityError } from "../entity-error.ts";
import { findSnapshot, type StartingState } from "./find-snapshot.ts";
import {
  type JournalTail,
  readOnlyTail,
  replayTrimmed,
  type Sources,
  type StartingPoint,
  type TailSource,
} from "./journal-tail.ts";
import type { RecoveryOptions } from "./recovery-options.ts";

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

/** How many times to start again because events were deleted meanwhile. */
const maxRestarts = 5;

/**
 * Rebuilds a state from the newest suitable snapshot and the events after it, both read at once if the tables allow it.
 * Otherwise reads the bounds of the journal after the snapshot: the events of a snapshot are stored before it, so a journal
 * that ends earlier has lost events.
 */
export async function rebuildState(
  sources: Sources,
  entity: EntityRef,
  options: RecoveryOptions = {},
  journal: TailSource = readOnlyTail(sources, entity, options),
): Promise<RebuiltState> {
  const { address } = entity;
  for (let restarts = 0; ; restarts++) {
    try {
      return await rebuildOnce(sources, entity, options, journal);
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

async function rebuildOnce(
  sources: Sources,
  entity: EntityRef,
  options: RecoveryOptions,
  journal: TailSource,
): Promise<RebuiltState> {
  const { address } = entity;
  const together = await journal.openWithSnapshot();
  const isWhole = together && (await together.tail.lowest()) <= (together.start?.sequenceNr ?? 0) + 1;
  const { start, tail } = isWhole ? together : await findStart(sources, entity, options, journal);
  const from = start ?? { state: initialState(entity), sequenceNr: 0, latest: 0 };
  const snapshotNr = from.sequenceNr;
  const rebuilt = await applyEvents(entity, options, from, tail);
  // An event after the snapshot proves that the journal reaches it.
  if (snapshotNr > 0 && rebuilt.sequenceNr === snapshotNr) {
    const highest = await tail.highest();
    if (highest < snapshotNr) throw snapshotAhead(address, snapshotNr, highest);
  }
  return { ...rebuilt, snapshotNr };
}

function initialState({ definition, address }: EntityRef): unknown {
  try {
    return definition.initial(address.id);
  } catch (cause) {
    throw definitionFailed(address, "initial", "threw", cause);
  }
}

/** Returns the snapshot to start from, which covers every deleted event, and the journal as read after it. */
async function findStart(
  { snapshots }: Sources,
  entity: EntityRef,
  options: RecoveryOptions,
  journal: TailSource,
): Promise<StartingPoint> {
  const { toSequenceNr = Number.POSITIVE_INFINITY } = options;
  const find = async () => snapshots && findSnapshot(snapshots, entity, options);
  for (let restarts = 0; ; restarts++) {
    const start = await find();
    const tail = await journal.open((start?.sequenceNr ?? 0) + 1);
    const lowest = await tail.lowest();
    const covers = ({ sequenceNr }: Pick<StartingState, "sequenceNr"> = { sequenceNr: 0 }) =>
      lowest <= sequenceNr + 1 || toSequenceNr <= sequenceNr;
    if (covers(start)) return { start, tail };
    // A snapshot saved meanwhile may cover the deleted events. It may also contain events above these bounds, so both are
    // read again.
    if (restarts >= maxRestarts || !covers(await find())) throw historyDeleted(entity.address, lowest);
  }
}

/** Applies the events after `start`, as far as the options allow. */
async function applyEvents(
  entity: EntityRef,
  options: RecoveryOptions,
  start: StartingState,
  tail: JournalTail,
): Promise<StartingState> {
  const { events } = tail;
  const { maxEvents = Number.POSITIVE_INFINITY } = options;
  const { toSequenceNr = Number.POSITIVE_INFINITY, toTimestamp = Number.POSITIVE_INFINITY } = options;
  let { state, sequenceNr, latest } = start;
  let left = maxEvents;
  if (events === undefined || left <= 0 || toSequenceNr <= sequenceNr) return start;
  for await (const stored of events) {
    if (sequenceNr === start.sequenceNr && stored.sequenceNr > sequenceNr + 1)
      await checkNotTrimmed(entity.persistenceId, sequenceNr + 1, stored.sequenceNr, tail);
    if (stored.sequenceNr > toSequenceNr || stored.timestamp > toTimestamp) break;
    // An event whose payload is gone leaves the state as it is.
    if (stored.gone === undefined) state = evolved(entity, state, stored);
    sequenceNr = stored.sequenceNr;
    latest = Math.max(latest, stored.timestamp);
    if (--left <= 0) break;
  }
  return { state, sequenceNr, latest };
}

/** Returns the state after a stored event. */
function evolved({ definition, address }: EntityRef, state: unknown, stored: JournalEvent): unknown {
  const event = readEvent(definition, address, stored);
  try {
    return definition.evolve(state, event);
  } catch (cause) {
    throw evolveFailed(address, event.type, stored.sequenceNr, cause);
  }
}

/** Throws if the first event to apply was deleted meanwhile, and `found` is the first that is left: then a newer snapshot contains it. */
async function checkNotTrimmed(
  persistenceId: string,
  sequenceNr: number,
  found: number,
  { isPacked = false, lowest }: JournalTail,
): Promise<void> {
  const first = isPacked ? found : await lowest();
  if (first > sequenceNr) throw replayTrimmed(persistenceId, sequenceNr, first);
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
