import { backoffMs } from "@tablekeep/client";
import { sleep, type TablekeepError } from "@tablekeep/core";
import type { EntityError } from "../entity-error.ts";
import { type Cell, putBack } from "./cell.ts";
import type { Group } from "./form-group.ts";
import { deliver } from "./group-entry.ts";
import { conflicted, notStored, outcomeUnknown, partlyStored, unfit } from "./group-errors.ts";
import type { LoadedEntity } from "./loaded-entity.ts";
import type { PendingAsk } from "./pending-ask.ts";
import { writeGroup } from "./write-group.ts";

/** Writes a group with events, and tells the callers or puts the commands back. */
export async function finishGroup(cell: Cell, loaded: LoadedEntity, group: Group): Promise<void> {
  const { context, entity } = cell;
  const asks = group.entries.map(({ ask }) => ask);
  const first = loaded.writer.highestSequenceNr + 1;
  for (const ask of asks) ask.writing = true;
  const end = await writeGroup(context, loaded, group);
  switch (end.kind) {
    case "stored":
      return stored(cell, loaded, group);
    case "unfit":
      if (asks.length === 1) return failSurely(cell, asks, unfit(entity.place, end.error));
      for (const ask of asks) ask.alone = true;
      return putBack(cell, asks);
    case "not-stored":
      return failSurely(cell, asks, notStored(entity.place, end.error));
    case "known":
      // Nobody has written meanwhile: a row of another's would have told first.
      for (const ask of asks) ask.maybeKnown = ask.identified !== undefined;
      return putBack(cell, countConflict(cell, group, end.error));
    case "conflict":
      return decideAgain(cell, group, end.error);
    case "unknown":
      for (const entry of group.entries) {
        const { writerUuid } = loaded.writer;
        entry.ask.doubts = [...entry.ask.doubts, { writerUuid, first, entry }];
      }
      return decideAgain(cell, group, undefined);
    case "partly":
      cell.loaded = undefined;
      for (const ask of asks) ask.fail(partlyStored(entity.place, end.stored, end.of, end.error));
  }
}

/** This write surely left nothing; an earlier one of the same command may have. */
function failSurely({ entity }: Cell, asks: readonly PendingAsk[], error: EntityError): void {
  for (const ask of asks) ask.fail(ask.doubts.length > 0 ? outcomeUnknown(entity.place, error) : error);
}

function stored(cell: Cell, loaded: LoadedEntity, { entries, events }: Group): void {
  loaded.state = entries.at(-1)?.state;
  loaded.sequenceNr += events.length;
  loaded.latest = Math.max(loaded.latest, ...entries.map(({ decidedAt }) => decidedAt));
  for (const entry of entries) deliver(entry);
  const { context, entity } = cell;
  const every = entity.definition.snapshotEvery ?? context.snapshotEvery;
  if (loaded.sequenceNr - loaded.snapshotNr < every) return;
  const { state, sequenceNr, latest } = loaded;
  if (context.snapshotter.save(entity, { state, sequenceNr, latest })) loaded.snapshotNr = sequenceNr;
}

/** Lets go of the state, and puts the commands back, but for those that have met too many conflicts. */
export async function decideAgain(
  cell: Cell,
  group: Pick<Group, "entries">,
  error: TablekeepError | undefined,
): Promise<void> {
  const { clock, random } = cell.context;
  cell.loaded = undefined;
  const again = countConflict(cell, group, error);
  for (const ask of again) ask.maybeKnown = ask.identified !== undefined;
  putBack(cell, again);
  const most = Math.max(0, ...again.map(({ conflicts }) => conflicts - 1));
  if (again.length > 0) await sleep(clock, backoffMs(Math.min(most, 6), random));
}

/** The commands that may be tried again. */
function countConflict(
  { context, entity }: Cell,
  { entries }: Pick<Group, "entries">,
  error: TablekeepError | undefined,
): PendingAsk[] {
  const waiting = entries.map(({ ask }) => ask).filter((ask) => !ask.answered);
  for (const ask of waiting) {
    if (++ask.conflicts <= context.maxConflicts) continue;
    if (ask.doubts.length > 0) ask.fail(outcomeUnknown(entity.place, error));
    else ask.fail(conflicted(entity.place, ask.conflicts, error));
  }
  return waiting.filter((ask) => !ask.answered);
}
