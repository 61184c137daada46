import { isTablekeepError } from "@tablekeep/core";
import { isJournalError, type Journal, type Snapshots } from "@tablekeep/journal";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { EntityError, type EntityPlace } from "../entity-error.ts";
import { readEvent } from "../events/read-event.ts";
import { findSnapshot } from "./find-snapshot.ts";
import type { RecoveryOptions } from "./recovery-options.ts";

/** Where events and snapshots are. */
export interface Sources {
  readonly journal: Pick<Journal, "replay" | "lowestSequenceNr">;
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

/** How often to begin again because events were deleted meanwhile. */
const maxTrims = 5;

/** Rebuilds a state: the newest fitting snapshot, then the events after it. */
export async function recoverState(
  sources: Sources,
  definition: LooseEntity,
  id: string,
  options: RecoveryOptions = {},
): Promise<RecoveredState> {
  const place = { entity: definition.type, id };
  for (let trims = 0; ; trims++) {
    try {
      return await recoverOnce(sources, definition, place, options);
    } catch (error) {
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

async function recoverOnce(
  { journal, snapshots }: Sources,
  definition: LooseEntity,
  place: EntityPlace,
  options: RecoveryOptions,
): Promise<RecoveredState> {
  const persistenceId = definition.persistenceId(place.id);
  const { signal, deadlineMs } = options;
  const { toSequenceNr = Number.POSITIVE_INFINITY, toTimestamp = Number.POSITIVE_INFINITY } = options;
  const start = snapshots && (await findSnapshot(snapshots, definition, persistenceId, options));
  const snapshotNr = start?.sequenceNr ?? 0;
  const lowest = await journal.lowestSequenceNr(persistenceId, { signal, deadlineMs });
  if (lowest > snapshotNr + 1 && toSequenceNr > snapshotNr) throw historyDeleted(place, lowest);
  let { state, sequenceNr, latest } = start ?? {
    state: definition.initial(place.id),
    sequenceNr: 0,
    latest: 0,
  };
  let left = options.maxEvents ?? Number.POSITIVE_INFINITY;
  if (left > 0 && toSequenceNr > snapshotNr) {
    for await (const stored of journal.replay(persistenceId, { from: snapshotNr + 1, signal, deadlineMs })) {
      if (stored.sequenceNr > toSequenceNr || stored.timestamp > toTimestamp) break;
      state = definition.evolve(state, readEvent(definition, place, stored));
      sequenceNr = stored.sequenceNr;
      latest = Math.max(latest, stored.timestamp);
      if (--left <= 0) break;
    }
  }
  return { state, sequenceNr, snapshotNr, latest };
}

function historyDeleted(place: EntityPlace, lowest: number): EntityError {
  return new EntityError(
    "ENTITY_HISTORY_DELETED",
    `${place.entity} ${place.id}: events before ${lowest} were deleted, and no snapshot that fits stands for them`,
    { ...place, lowest },
  );
}
