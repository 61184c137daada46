import type { Snapshot, SnapshotCriteria, Snapshots } from "@tablekeep/journal";
import type { EntityRef } from "../definition/entity-definition.ts";
import { definitionFailed } from "../entity-error.ts";
import type { RecoveryOptions } from "./recovery-options.ts";

/** The metadata of an entity's snapshot. */
export interface SnapshotNotes {
  /** The `stateVersion` of the definition that saved it. */
  readonly stateVersion: number;
  /** Latest timestamp of the events in it, in milliseconds. */
  readonly latest: number;
}

/** A state to apply events to. */
export interface StartingState {
  readonly state: unknown;
  readonly sequenceNr: number;
  readonly latest: number;
}

/** Returns the newest snapshot that the options and the state version allow, or undefined. */
export async function findSnapshot(
  snapshots: Snapshots,
  entity: EntityRef,
  options: RecoveryOptions,
): Promise<StartingState | undefined> {
  if (options.snapshot === "none") return undefined;
  const { signal, deadlineMs, toSequenceNr, toTimestamp } = options;
  const wanted: SnapshotCriteria = options.snapshot ?? {};
  let below = Math.min(
    wanted.maxSequenceNr ?? Number.MAX_SAFE_INTEGER,
    toSequenceNr ?? Number.MAX_SAFE_INTEGER,
  );
  while (below > 0) {
    const found = await snapshots.load(
      entity.persistenceId,
      { ...wanted, maxSequenceNr: below },
      { signal, deadlineMs },
    );
    if (found === undefined) return undefined;
    const start = startFrom(entity, found, toTimestamp);
    if (start !== undefined) return start;
    below = found.sequenceNr - 1;
  }
  return undefined;
}

/** Returns the state of a snapshot, as the definition reads it; undefined if it is not suitable. */
export function startFrom(
  { definition: { stateVersion, upcastState }, address }: EntityRef,
  { state, sequenceNr, metadata }: Snapshot,
  toTimestamp: number = Number.POSITIVE_INFINITY,
): StartingState | undefined {
  const notes = notesOf(metadata);
  if (notes === undefined || notes.latest > toTimestamp) return undefined;
  const { latest } = notes;
  if (notes.stateVersion === stateVersion) return { state, sequenceNr, latest };
  if (notes.stateVersion > stateVersion || upcastState === undefined) return undefined;
  try {
    return { state: upcastState(state, notes.stateVersion), sequenceNr, latest };
  } catch (cause) {
    throw definitionFailed(
      address,
      "upcastState",
      `threw for a snapshot of version ${notes.stateVersion}`,
      cause,
    );
  }
}

/** Returns undefined for a snapshot that no entity host saved: the shape of its state is unknown. */
function notesOf(metadata: unknown): SnapshotNotes | undefined {
  const { stateVersion, latest } = (metadata ?? {}) as Partial<SnapshotNotes>;
  return typeof stateVersion === "number" && typeof latest === "number"
    ? { stateVersion, latest }
    : undefined;
}
