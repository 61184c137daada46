import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import type { Snapshots } from "@tablekeep/journal";
import type { EntityRef } from "../definition/entity-definition.ts";
import { EntityError } from "../entity-error.ts";
import type { ResolvedOptions } from "../host-options.ts";
import type { SnapshotNotes } from "../recovery/find-snapshot.ts";
import { slots } from "./slots.ts";

/** Saves snapshots in the background, and deletes older snapshots and covered events. */
export interface Snapshotter {
  /** Starts to save a state, unless a save of this entity is in flight or there is no snapshot store. Returns whether it started. */
  save(entity: EntityRef, state: StateToSave): boolean;
  /** Resolves once no save of this entity is in flight. */
  ended(persistenceId: string): Promise<void>;
  /** Resolves once no save is in flight. */
  idle(): Promise<void>;
}

export interface StateToSave {
  readonly state: unknown;
  readonly sequenceNr: number;
  readonly latest: number;
}

/** Concurrent saves. Others wait: snapshots are small, and commands have priority. */
const maxSaves = 4;

/**
 * Creates the snapshotter of a host. A failed save is only logged, because the next save replaces it. A state that cannot be
 * stored is a bug of the definition, and is reported once per definition.
 */
export function createSnapshotter(options: ResolvedOptions): Snapshotter {
  const { journal, snapshots, logger, keepSnapshots, deleteCoveredEvents } = options;
  const saving = new Map<string, Promise<void>>();
  const saveSlots = slots(maxSaves);
  const reported = new Set<string>();
  const reportFailure = (
    { definition, address, persistenceId }: EntityRef,
    sequenceNr: number,
    error: unknown,
  ) => {
    if (!isUnsuitable(error)) {
      logger.warn("could not save a snapshot", { persistenceId, sequenceNr, error });
      return;
    }
    if (reported.has(definition.type)) return;
    reported.add(definition.type);
    const { message: reason } = error;
    const message = `${address.entity} ${address.id}: the state cannot be stored, so entities of this type get no snapshots: ${reason} (keep plain data in the state)`;
    const invalid = new EntityError(
      "ENTITY_STATE_INVALID",
      message,
      { ...address, reason },
      { cause: error },
    );
    logger.error(message, { persistenceId, sequenceNr, error: invalid });
  };
  const work = async (
    { persistenceId, definition }: EntityRef,
    { state, sequenceNr, latest }: StateToSave,
  ) => {
    if (snapshots === undefined) return;
    const metadata: SnapshotNotes = { stateVersion: definition.stateVersion, latest };
    const saveNewest = async () => {
      await snapshots.save(persistenceId, sequenceNr, state, { metadata });
      if (keepSnapshots !== undefined) await snapshots.keepNewest(persistenceId, keepSnapshots);
    };
    if (!deleteCoveredEvents) return saveNewest();
    // The journal notes first which events the snapshots belong to. If the entity is forgotten after that, and starts again,
    // its new events are not deleted.
    await journal.deleteTo(persistenceId, async () => {
      await saveNewest();
      return oldestOf(snapshots, persistenceId);
    });
  };
  return {
    save(entity, state) {
      const { persistenceId } = entity;
      if (snapshots === undefined || saving.has(persistenceId)) return false;
      const run = saveSlots
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

/** Whether the state itself is the reason: it is too large or holds values that cannot be stored. */
function isUnsuitable(error: unknown): error is TablekeepError {
  if (!isTablekeepError(error) || error.code === "JOURNAL_SUBJECT_FORGOTTEN") return false;
  return error.kind === "invalid" || error.kind === "limit";
}

/** Returns the sequence number of the oldest snapshot, or undefined. */
async function oldestOf(snapshots: Snapshots, persistenceId: string): Promise<number | undefined> {
  for await (const { sequenceNr } of snapshots.list(persistenceId)) return sequenceNr;
  return undefined;
}
