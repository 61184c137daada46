import type { Journal, JournalWriter } from "@tablekeep/journal";
import { recoverState } from "../recovery/recover-state.ts";
import type { EntityRef, HostContext } from "./host-context.ts";

/** An entity in memory. */
export interface LoadedEntity {
  readonly writer: JournalWriter;
  state: unknown;
  /** The number of the last event in the state. */
  sequenceNr: number;
  /** The number of the last snapshot. */
  snapshotNr: number;
  /** The latest timestamp of the events in the state, in milliseconds. */
  latest: number;
}

/** How often to take an entity over anew because another writes to it meanwhile. */
const maxRaces = 3;

/** Takes an entity over and rebuilds its state. */
export async function loadEntity(context: HostContext, entity: EntityRef): Promise<LoadedEntity> {
  const { journal, deadlineMs } = context;
  for (let races = 0; ; races++) {
    const writer = await journal.recover(entity.persistenceId, { deadlineMs });
    const recovered = await recoverState(context, entity.definition, entity.place.id, { deadlineMs });
    // The state is as new as the writer, or newer: then the writer would only get a conflict.
    if (recovered.sequenceNr > writer.highestSequenceNr && races < maxRaces) continue;
    const { state, snapshotNr, latest } = recovered;
    const sequenceNr = Math.max(recovered.sequenceNr, writer.highestSequenceNr);
    return { writer, state, sequenceNr, snapshotNr, latest };
  }
}

/** Whose event stands at a number; undefined if none does, or if it cannot be told any more. */
export async function writerAt(
  journal: Journal,
  persistenceId: string,
  sequenceNr: number,
  deadlineMs: number,
): Promise<string | undefined> {
  for await (const event of journal.replay(persistenceId, { from: sequenceNr, deadlineMs })) {
    return event.sequenceNr === sequenceNr ? event.writerUuid : undefined;
  }
  return undefined;
}
