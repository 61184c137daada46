import {
  type Journal,
  JournalError,
  type JournalEvent,
  type JournalWriter,
  type LoadedEvents,
  loadTail,
} from "@tablekeep/journal";
import type { EntityRef } from "../definition/entity-definition.ts";
import { type StartingState, startFrom } from "../recovery/find-snapshot.ts";
import { type JournalTail, rebuildState } from "../recovery/rebuild-state.ts";
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
  const { journal, deadlineMs } = context;
  let writer: JournalWriter | undefined;
  const tailOf = (loaded: LoadedEvents, from: number): JournalTail => {
    // Later events of others are not in the state; they make this writer's next append a conflict.
    const { highestSequenceNr, lowestSequenceNr } = loaded.writer;
    writer = loaded.writer;
    return {
      highest: async () => highestSequenceNr,
      lowest: async () => lowestSequenceNr,
      events: highestSequenceNr < from ? undefined : loaded.events,
    };
  };
  const takeOver = async (from: number) =>
    tailOf(await journal.load(entity.persistenceId, { from, deadlineMs }), from);
  const takeOverWithSnapshot = async () => {
    const loaded = await loadWithSnapshot(context, entity);
    if (loaded === undefined) return undefined;
    const { start } = loaded;
    return { start, tail: tailOf(loaded, (start?.sequenceNr ?? 0) + 1) };
  };
  const { state, snapshotNr, latest } = await rebuildState(
    context,
    entity,
    { deadlineMs },
    takeOver,
    takeOverWithSnapshot,
  );
  if (writer === undefined) throw new Error("recovered without a writer");
  return { writer, state, sequenceNr: writer.highestSequenceNr, snapshotNr, latest };
}

/** Items of a packed journal that may follow a snapshot besides its events. */
const itemsBeside = 3;

/** Reads the newest snapshot and the events after it with one request. Undefined if the tables or the snapshot do not allow it. */
async function loadWithSnapshot(
  { journal, snapshots, snapshotEvery, deadlineMs }: HostContext,
  { definition, persistenceId }: EntityRef,
): Promise<(LoadedEvents & { readonly start: StartingState | undefined }) | undefined> {
  if (snapshots === undefined) return undefined;
  const limit = Math.min(1000, (definition.snapshotEvery ?? snapshotEvery) + itemsBeside);
  const loaded = await loadTail(journal, snapshots, persistenceId, { limit, deadlineMs });
  if (loaded === undefined) return undefined;
  const { snapshot, writer, events } = loaded;
  const start = snapshot && startFrom(definition, snapshot);
  // An older snapshot, or all events, may do.
  if (snapshot !== undefined && start === undefined) return undefined;
  return { writer, start, events: withoutTrim(persistenceId, events, (start?.sequenceNr ?? 0) + 1) };
}

/** The events, which must begin with this one: a packed journal has no holes, so it was deleted if they do not. */
async function* withoutTrim(
  persistenceId: string,
  events: AsyncIterable<JournalEvent>,
  first: number,
): AsyncGenerator<JournalEvent, void, undefined> {
  let expected: number | undefined = first;
  for await (const event of events) {
    const { sequenceNr } = event;
    if (expected !== undefined && sequenceNr > expected)
      throw new JournalError(
        "JOURNAL_REPLAY_TRIMMED",
        `${persistenceId}: event ${expected} was deleted during the replay: start again at ${sequenceNr}`,
        { persistenceId, sequenceNr: expected, lowest: sequenceNr, gaveEvents: false },
      );
    expected = undefined;
    yield event;
  }
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
