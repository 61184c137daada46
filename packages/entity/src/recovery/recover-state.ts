import { isTablekeepError } from "@tablekeep/core";
import { isJournalError, type Journal, type Snapshots } from "@tablekeep/journal";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { EntityError, type EntityPlace } from "../entity-error.ts";
import { readEvent } from "../events/read-event.ts";
import { ofEntity } from "../options/check-options.ts";
import { findSnapshot, type StartingState } from "./find-snapshot.ts";
import type { RecoveryOptions } from "./recovery-options.ts";

/** Where events and snapshots are. */
export interface Sources {
  readonly journal: Pick<Journal, "replay" | "highestSequenceNr" | "lowestSequenceNr">;
  readonly snapshots?: Snapshots | undefined;
}

/** A state that was rebuilt. */
export interface RecoveredState {
  readonly state: unknown;
  /** The number of the last event in it; 0 if there is none. */
  readonly sequenceNr: number;
  /** The number of the snapshot that it was rebuilt from; 0 if from none. */
  readonly snapshotNr: number;
  /** The latest timestamp of its events, in milliseconds; 0 if there is none. */
  readonly latest: number;
}

/** Where the journal of an entity begins and ends. Read only when needed. */
export interface JournalBounds {
  highest(): Promise<number>;
  lowest(): Promise<number>;
  /** The number of the last event to apply. @default the highest */
  readonly replayTo?: number | undefined;
}

/** How often to begin again because events were deleted meanwhile. */
const maxTrims = 5;

/**
 * Rebuilds a state: the newest fitting snapshot, then the events after it. The bounds are asked for after the snapshot was
 * read: the events of a snapshot are stored before it, so that a journal that ends earlier has lost them.
 */
export async function recoverState(
  sources: Sources,
  definition: LooseEntity,
  id: string,
  options: RecoveryOptions = {},
  boundsOf: () => Promise<JournalBounds> = async () =>
    boundsByReading(sources, definition.persistenceId(id), options),
): Promise<RecoveredState> {
  const place = { entity: definition.type, id };
  for (let trims = 0; ; trims++) {
    try {
      return await recoverOnce(sources, definition, place, options, boundsOf);
    } catch (thrown) {
      const error = ofEntity(thrown);
      if (isJournalError(error, "JOURNAL_REPLAY_TRIMMED") && trims < maxTrims) continue;
      if (isTablekeepError(error) && error.code.startsWith("ENTITY_")) throw error;
      throw new EntityError(
        "ENTITY_RECOVERY_FAILED",
        `${place.entity} ${id}: its state could not be rebuilt: look at the cause and ask again`,
        place,
        { cause: error },
      );
    }
  }
}

/** The bounds for a reader that is not the writer. */
function boundsByReading(
  { journal }: Sources,
  persistenceId: string,
  { signal, deadlineMs }: RecoveryOptions,
): JournalBounds {
  return {
    highest: () => journal.highestSequenceNr(persistenceId, { signal, deadlineMs }),
    lowest: () => journal.lowestSequenceNr(persistenceId, { signal, deadlineMs }),
  };
}

async function recoverOnce(
  { journal, snapshots }: Sources,
  definition: LooseEntity,
  place: EntityPlace,
  options: RecoveryOptions,
  boundsOf: () => Promise<JournalBounds>,
): Promise<RecoveredState> {
  const persistenceId = definition.persistenceId(place.id);
  const { signal, deadlineMs, maxEvents } = options;
  const { toSequenceNr = Number.POSITIVE_INFINITY, toTimestamp = Number.POSITIVE_INFINITY } = options;
  const find = async () => snapshots && findSnapshot(snapshots, definition, persistenceId, options);
  let start: StartingState | undefined;
  let bounds: JournalBounds;
  for (let looks = 0; ; looks++) {
    start = await find();
    bounds = await boundsOf();
    const lowest = await bounds.lowest();
    const isCovered = ({ sequenceNr }: Pick<StartingState, "sequenceNr"> = { sequenceNr: 0 }) =>
      lowest <= sequenceNr + 1 || toSequenceNr <= sequenceNr;
    if (isCovered(start)) break;
    // A snapshot saved since the first look may contain events that were deleted since. It may also contain events above
    // these bounds, so they are read again after it.
    if (looks >= maxTrims || !isCovered(await find())) throw historyDeleted(place, lowest);
  }
  let { state, sequenceNr, latest } = start ?? {
    state: definition.initial(place.id),
    sequenceNr: 0,
    latest: 0,
  };
  const snapshotNr = sequenceNr;
  let left = maxEvents ?? Number.POSITIVE_INFINITY;
  if (left > 0 && Math.min(toSequenceNr, bounds.replayTo ?? toSequenceNr) > snapshotNr) {
    const range = { from: snapshotNr + 1, to: bounds.replayTo };
    for await (const stored of journal.replay(persistenceId, { ...range, signal, deadlineMs })) {
      if (stored.sequenceNr > toSequenceNr || stored.timestamp > toTimestamp) break;
      state = definition.evolve(state, readEvent(definition, place, stored));
      sequenceNr = stored.sequenceNr;
      latest = Math.max(latest, stored.timestamp);
      if (--left <= 0) break;
    }
  }
  // An event after the snapshot proves that the journal reaches it.
  if (snapshotNr > 0 && sequenceNr === snapshotNr) {
    const highest = await bounds.highest();
    if (highest < snapshotNr) throw snapshotAhead(place, snapshotNr, highest);
  }
  return { state, sequenceNr, snapshotNr, latest };
}

function historyDeleted(place: EntityPlace, lowest: number): EntityError {
  return new EntityError(
    "ENTITY_HISTORY_DELETED",
    `${place.entity} ${place.id}: events before ${lowest} were deleted, and no snapshot that fits contains them (if forget was interrupted, call it again)`,
    { ...place, lowest },
  );
}

function snapshotAhead(place: EntityPlace, snapshotNr: number, highest: number): EntityError {
  return new EntityError(
    "ENTITY_SNAPSHOT_AHEAD",
    `${place.entity} ${place.id}: its snapshot contains events up to ${snapshotNr}, but its journal ends at ${highest}: the journal was purged or restored without the snapshots (restore both to the same time, delete the snapshots above ${highest}, or call forget)`,
    { ...place, snapshotNr, highest },
  );
}
