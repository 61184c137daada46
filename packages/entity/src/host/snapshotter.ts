import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import type { Journal, Snapshots } from "@tablekeep/journal";
import { EntityError } from "../entity-error.ts";
import type { SnapshotNotes } from "../recovery/find-snapshot.ts";
import type { EntityRef } from "./host-context.ts";
import type { ResolvedOptions } from "./host-options.ts";
import { slots } from "./slots.ts";

/** Saves snapshots in the background, and deletes what they make superfluous. */
export interface Snapshotter {
  /** Saves a state, unless a save of this entity is under way. Tells whether it will. */
  save(entity: EntityRef, state: StateToSave): boolean;
  /** Resolves once nothing of an entity is under way. */
  ended(persistenceId: string): Promise<void>;
  /** Resolves once nothing is under way. */
  idle(): Promise<void>;
}

export interface StateToSave {
  readonly state: unknown;
  readonly sequenceNr: number;
  readonly latest: number;
}

/** Saves at once. More wait: the state of an entity is small, and commands go first. */
const maxSaves = 4;

/**
 * Makes the one of a host. A save that fails is logged: the next one will do. It will not where the state itself cannot be
 * stored: that is an error of the definition, and reported once for each.
 */
export function createSnapshotter(options: ResolvedOptions): Snapshotter {
  const { journal, snapshots, logger, keepSnapshots, deleteCoveredEvents } = options;
  const saving = new Map<string, Promise<void>>();
  const places = slots(maxSaves);
  const reported = new Set<string>();
  const reportFailure = (
    { definition, place, persistenceId }: EntityRef,
    sequenceNr: number,
    error: unknown,
  ) => {
    if (!isUnfit(error)) {
      logger.warn("a snapshot could not be saved", { persistenceId, sequenceNr, error });
      return;
    }
    if (reported.has(definition.type)) return;
    reported.add(definition.type);
    const { message: reason } = error;
    const message = `${place.entity} ${place.id}: its state cannot be stored, so that entities of this type get no snapshots: ${reason} (keep plain data in the state)`;
    const invalid = new EntityError("ENTITY_STATE_INVALID", message, { ...place, reason }, { cause: error });
    logger.error(message, { persistenceId, sequenceNr, error: invalid });
  };
  const work = async (
    { persistenceId, definition }: EntityRef,
    { state, sequenceNr, latest }: StateToSave,
  ) => {
    if (snapshots === undefined) return;
    const metadata: SnapshotNotes = { stateVersion: definition.stateVersion, latest };
    await snapshots.save(persistenceId, sequenceNr, state, { metadata });
    if (keepSnapshots === undefined) return;
    await snapshots.keepNewest(persistenceId, keepSnapshots);
    if (deleteCoveredEvents) await deleteCovered(journal, snapshots, persistenceId);
  };
  return {
    save(entity, state) {
      const { persistenceId } = entity;
      if (snapshots === undefined || saving.has(persistenceId)) return false;
      const run = places
        .run(() => work(entity, state))
        .catch((error: unknown) => reportFailure(entity, state.sequenceNr, error))
        .finally(() => saving.delete(persistenceId));
      saving.set(persistenceId, run);
      return true;
    },
    ended: async (persistenceId) => saving.get(persistenceId),
    async idle() {
      while (saving.size > 0) await Promise.all(saving.values());
    },
  };
}

/** Whether the state is the reason: it has values that cannot be stored, or is too large. */
function isUnfit(error: unknown): error is TablekeepError {
  return isTablekeepError(error) && (error.kind === "invalid" || error.kind === "limit");
}

/** Deletes the events that even the oldest snapshot contains. */
async function deleteCovered(journal: Journal, snapshots: Snapshots, persistenceId: string): Promise<void> {
  for await (const { sequenceNr } of snapshots.list(persistenceId)) {
    await journal.deleteTo(persistenceId, sequenceNr);
    return;
  }
}
