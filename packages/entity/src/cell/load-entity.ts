import {
  type EventsView,
  type Journal,
  type JournalWriter,
  type LoadedEvents,
  loadTail,
} from "@tablekeep/journal";
import type { EntityRef } from "../definition/entity-definition.ts";
import { startingPoint, type TailSource, tailOf } from "../recovery/journal-tail.ts";
import { rebuildState } from "../recovery/rebuild-state.ts";
import { outcomeUnknown, partlyStored } from "./ask-errors.ts";
import type { Cell, HostContext, LoadedEntity } from "./cell.ts";
import { deliver, type PendingAsk, type UnknownWrite } from "./pending-ask.ts";

/** Recovers the entity of a cell and resolves the unknown writes of its waiting commands. */
export async function loadCell(cell: Cell): Promise<LoadedEntity> {
  const loaded = await loadEntity(cell.context, cell.entity);
  await resolveUnknownWrites(cell, loaded);
  cell.loaded = loaded;
  return loaded;
}

/** Takes over as the writer of an entity and rebuilds its state up to the writer's position. */
async function loadEntity(context: HostContext, entity: EntityRef): Promise<LoadedEntity> {
  const { journal, snapshots, tailLimits, deadlineMs } = context;
  const { persistenceId, address } = entity;
  let writer: JournalWriter | undefined;
  /** Later events of others are not in the state; they make this writer's next append a conflict. */
  const viewOf = (loaded: LoadedEvents): EventsView => {
    writer = loaded.writer;
    const { highestSequenceNr, lowestSequenceNr } = loaded.writer;
    return { highestSequenceNr, lowestSequenceNr, events: loaded.events };
  };
  const source: TailSource = {
    open: async (from) => tailOf(viewOf(await journal.load(persistenceId, { from, deadlineMs })), from),
    async openWithSnapshot() {
      if (snapshots === undefined) return undefined;
      const limit = tailLimits.limitOf(address.entity);
      const loaded = await loadTail(journal, snapshots, persistenceId, { deadlineMs, limit });
      if (loaded === undefined) return undefined;
      tailLimits.record(address.entity, loaded.items);
      return startingPoint(entity, { ...viewOf(loaded), snapshot: loaded.snapshot });
    },
  };
  const { state, snapshotNr, latest } = await rebuildState(context, entity, { deadlineMs }, source);
  if (writer === undefined) throw new Error("recovered without a writer");
  return { writer, state, sequenceNr: writer.highestSequenceNr, snapshotNr, latest };
}

/**
 * Reads, after a recovery, what became of writes with an unknown outcome. One that was applied gets its reply. One whose
 * sequence number another writer's event holds can no longer be applied. One whose sequence number is still free may be
 * applied later, so its outcome stays unknown until a later write holds that number.
 */
async function resolveUnknownWrites(cell: Cell, loaded: LoadedEntity): Promise<void> {
  const { context, entity } = cell;
  const writers = new Map<number, string | undefined>();
  for (const ask of [...cell.queue].filter((each) => each.unknownWrites.length > 0 && !each.answered)) {
    const stillUnknown: UnknownWrite[] = [];
    for (const write of ask.unknownWrites) {
      const { first } = write;
      if (loaded.sequenceNr < first) {
        // Under strict fencing a recovery stops every earlier writer.
        if (context.journal.fencing !== "strict") stillUnknown.push(write);
        continue;
      }
      if (!writers.has(first)) {
        writers.set(first, await writerAt(context.journal, entity.persistenceId, first, context.deadlineMs));
      }
      const writer = writers.get(first);
      if (writer === write.writerUuid) deliverApplied(cell, ask, write);
      else if (writer === undefined) ask.fail(outcomeUnknown(entity.address, undefined));
    }
    ask.unknownWrites = stillUnknown;
  }
}

function deliverApplied({ entity }: Cell, ask: PendingAsk, { entry }: UnknownWrite): void {
  if (entry.atomic) deliver(entry);
  else ask.fail(partlyStored(entity.address, 1, entry.events.length, undefined));
}

/** Returns who wrote the event with this sequence number; undefined if it does not exist or was deleted. */
async function writerAt(
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
