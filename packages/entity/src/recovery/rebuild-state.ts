import { isTablekeepError } from "@tablekeep/core";
import { isJournalError, type Journal, type Snapshots } from "@tablekeep/journal";
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

/** Where the journal of an entity starts and ends. Read only when needed. */
export interface JournalBounds {
  highest(): Promise<number>;
  lowest(): Promise<number>;
  /** Sequence number of the last event to apply. @default the highest */
  readonly replayTo?: number;
}

/** How many times to start again because events were deleted meanwhile. */
const maxRestarts = 5;

/**
 * Rebuilds a state from the newest suitable snapshot and the events after it. Reads the bounds of the journal after the
 * snapshot: the events of a snapshot are stored before it, so a journal that ends earlier has lost events.
 */
export async function rebuildState(
  sources: Sources,
  entity: EntityRef,
  options: RecoveryOptions = {},
  boundsOf: () => Promise<JournalBounds> = async () => readBounds(sources, entity.persistenceId, options),
): Promise<RebuiltState> {
  const { address } = entity;
  for (let restarts = 0; ; restarts++) {
    try {
      return await rebuildOnce(sources, entity, options, boundsOf);
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

/** Returns the bounds for a reader that is not the writer. */
function readBounds(
  { journal }: Sources,
  persistenceId: string,
  { signal, deadlineMs }: RecoveryOptions,
): JournalBounds {
  return {
    highest: () => journal.highestSequenceNr(persistenceId, { signal, deadlineMs }),
    lowest: () => journal.lowestSequenceNr(persistenceId, { signal, deadlineMs }),
  };
}

async function rebuildOnce(
  sources: Sources,
  entity: EntityRef,
  options: RecoveryOptions,
  boundsOf: () => Promise<JournalBounds>,
): Promise<RebuiltState> {
  const { address, definition } = entity;
  const { start, bounds } = await findStart(sources, entity, options, boundsOf);
  const from = start ?? { state: definition.initial(address.id), sequenceNr: 0, latest: 0 };
  const snapshotNr = from.sequenceNr;
  const rebuilt = await applyEvents(sources, entity, options, from, bounds.replayTo);
  // An event after the snapshot proves that the journal reaches it.
  if (snapshotNr > 0 && rebuilt.sequenceNr === snapshotNr) {
    const highest = await bounds.highest();
    if (highest < snapshotNr) throw snapshotAhead(address, snapshotNr, highest);
  }
  return { ...rebuilt, snapshotNr };
}

/** Returns the snapshot to start from, which covers every deleted event, and bounds read after it. */
async function findStart(
  { snapshots }: Sources,
  { address, definition, persistenceId }: EntityRef,
  options: RecoveryOptions,
  boundsOf: () => Promise<JournalBounds>,
): Promise<{ readonly start: StartingState | undefined; readonly bounds: JournalBounds }> {
  const { toSequenceNr = Number.POSITIVE_INFINITY } = options;
  const find = async () => snapshots && findSnapshot(snapshots, definition, persistenceId, options);
  for (let restarts = 0; ; restarts++) {
    const start = await find();
    const bounds = await boundsOf();
    const lowest = await bounds.lowest();
    const covers = ({ sequenceNr }: Pick<StartingState, "sequenceNr"> = { sequenceNr: 0 }) =>
      lowest <= sequenceNr + 1 || toSequenceNr <= sequenceNr;
    if (covers(start)) return { start, bounds };
    // A snapshot saved meanwhile may cover the deleted events. It may also contain events above these bounds, so both are
    // read again.
    if (restarts >= maxRestarts || !covers(await find())) throw historyDeleted(address, lowest);
  }
}

/** Applies the events after `start`, as far as the options allow. */
async function applyEvents(
  { journal }: Sources,
  entity: EntityRef,
  options: RecoveryOptions,
  start: StartingState,
  replayTo: number | undefined,
): Promise<StartingState> {
  const { signal, deadlineMs, maxEvents = Number.POSITIVE_INFINITY } = options;
  const { toSequenceNr = Number.POSITIVE_INFINITY, toTimestamp = Number.POSITIVE_INFINITY } = options;
  let { state, sequenceNr, latest } = start;
  let left = maxEvents;
  if (left <= 0 || Math.min(toSequenceNr, replayTo ?? toSequenceNr) <= sequenceNr) return start;
  const range = { from: sequenceNr + 1, to: replayTo };
  for await (const stored of journal.replay(entity.persistenceId, { ...range, signal, deadlineMs })) {
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
