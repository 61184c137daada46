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

/** Takes an entity over and rebuilds its state up to where its writer stands. */
export async function loadEntity(context: HostContext, entity: EntityRef): Promise<LoadedEntity> {
  const { journal, deadlineMs } = context;
  let writer: JournalWriter | undefined;
  const takeOver = async () => {
    const taken = await journal.recover(entity.persistenceId, { deadlineMs });
    writer = taken;
    return {
      highest: async () => taken.highestSequenceNr,
      lowest: async () => taken.lowestSequenceNr,
      // What others write from now on is not in the state: this writer's next append is a conflict then.
      replayTo: taken.highestSequenceNr,
    };
  };
  const call = { deadlineMs };
  const { state, snapshotNr, latest } = await recoverState(
    context,
    entity.definition,
    entity.place.id,
    call,
    takeOver,
  );
  if (writer === undefined) throw new Error("recovered without a writer");
  return { writer, state, sequenceNr: writer.highestSequenceNr, snapshotNr, latest };
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
