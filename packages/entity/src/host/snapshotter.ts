import type { Journal, Snapshots } from "@tablekeep/journal";
import type { SnapshotNotes } from "../recovery/find-snapshot.ts";
import type { EntityRef } from "./host-context.ts";
import type { ResolvedOptions } from "./host-options.ts";
import { slots } from "./slots.ts";

/** Saves snapshots in the background, and deletes what they make superfluous. */
export interface Snapshotter {
  /** Saves a state, unless a save of this entity is under way. Tells whether it will. */
  save(entity: EntityRef, state: StateToSave): boolean;
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

/** Makes the one of a host. A save that fails is logged: the next one will do. */
export function createSnapshotter(options: ResolvedOptions): Snapshotter {
  const { journal, snapshots, logger, keepSnapshots, deleteCoveredEvents } = options;
  const saving = new Map<string, Promise<void>>();
  const places = slots(maxSaves);
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
        .catch((error: unknown) => {
          logger.warn("a snapshot could not be saved", {
            persistenceId,
            sequenceNr: state.sequenceNr,
            error,
          });
        })
        .finally(() => saving.delete(persistenceId));
      saving.set(persistenceId, run);
      return true;
    },
    async idle() {
      while (saving.size > 0) await Promise.all(saving.values());
    },
  };
}

/** Deletes the events that even the oldest snapshot contains. */
async function deleteCovered(journal: Journal, snapshots: Snapshots, persistenceId: string): Promise<void> {
  for await (const { sequenceNr } of snapshots.list(persistenceId)) {
    await journal.deleteTo(persistenceId, sequenceNr);
    return;
  }
}
