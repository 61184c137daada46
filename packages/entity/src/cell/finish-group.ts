import { backoffMs } from "@tablekeep/client";
import { isTablekeepError, sleep, type TablekeepError } from "@tablekeep/core";
import type { EntityError } from "../entity-error.ts";
import {
  alsoWriteRejected,
  checkFailed,
  conflicted,
  notStored,
  outcomeUnknown,
  partlyStored,
  unsuitable,
} from "./ask-errors.ts";
import { type Cell, type LoadedEntity, putBack } from "./cell.ts";
import type { Group } from "./form-group.ts";
import { deliver, type GroupEntry, type PendingAsk } from "./pending-ask.ts";
import { hasOwnItems, type RejectedGroupItem } from "./rejected-items.ts";
import { writeGroup } from "./write-group.ts";

/** Writes a group with events, and answers its callers or puts their commands back. */
export async function finishGroup(cell: Cell, loaded: LoadedEntity, group: Group): Promise<void> {
  const { context, entity } = cell;
  const asks = group.entries.map(({ ask }) => ask);
  const first = loaded.writer.highestSequenceNr + 1;
  for (const ask of asks) ask.writing = true;
  const result = await writeGroup(context, loaded, group);
  switch (result.kind) {
    case "stored":
      return finishStored(cell, loaded, group);
    case "unsuitable":
      if (asks.length === 1) return failAll(cell, asks, unsuitable(entity.address, group, result.error));
      return writeAlone(cell, asks);
    case "not-stored":
      // The items of one command may be the reason.
      if (asks.length > 1 && hasOwnItems(group) && !result.error.retryable) return writeAlone(cell, asks);
      return failAll(cell, asks, notStored(entity.address, group, result.error));
    case "items-rejected":
      return finishRejected(cell, group, result.items, result.error);
    case "conflict":
      return decideAgain(cell, group, result.error);
    case "unknown":
      for (const entry of group.entries) {
        const { writerUuid } = loaded.writer;
        entry.ask.unknownWrites = [...entry.ask.unknownWrites, { writerUuid, first, entry }];
      }
      return decideAgain(cell, group, undefined);
    case "partly":
      cell.loaded = undefined;
      for (const ask of asks) {
        ask.fail(partlyStored(entity.address, result.stored, result.of, result.error));
      }
  }
}

function writeAlone(cell: Cell, asks: readonly PendingAsk[]): void {
  for (const ask of asks) ask.alone = true;
  putBack(cell, asks);
}

/**
 * Continues after items of some commands were rejected. The state is still current: another writer's event would have been
 * reported as a conflict. A command that the ledger has gets its first reply. The first command of the group was decided on
 * stored events only, so its rejection is final; a later one is decided again and written alone, after those before it.
 */
function finishRejected(
  cell: Cell,
  { entries }: Group,
  rejected: readonly RejectedGroupItem[],
  error: TablekeepError,
): void {
  const asks = asksOf(entries);
  const known = new Set(rejected.filter(({ index }) => index === undefined).map(({ ask }) => ask));
  for (const ask of known) ask.maybeKnown = true;
  for (const { ask, index, item } of rejected) {
    if (index === undefined || known.has(ask)) continue;
    if (ask !== asks[0]) ask.alone = true;
    else failAll(cell, [ask], alsoWriteRejected(cell.entity.address, ask.command, { index, item }, error));
  }
  countConflict(cell, { entries: entries.filter(({ ask }) => known.has(ask)) }, error);
  putBack(cell, asks);
}

/** Answers the callers of a group without events. Replies that belong in the ledger are stored first. */
export async function answerReads(cell: Cell, loaded: LoadedEntity, { entries }: Group): Promise<void> {
  const { context, entity } = cell;
  // A command with an id is carried out once: it must not be ignored or refused because of a state that is out of date.
  if (context.verifyReads || entries.some(({ verify }) => verify)) {
    try {
      const highest = await context.journal.highestSequenceNr(entity.persistenceId, {
        deadlineMs: context.deadlineMs,
      });
      if (highest !== loaded.sequenceNr) return decideAgain(cell, { entries }, undefined);
    } catch (error) {
      if (!isTablekeepError(error)) throw error;
      return failAll(cell, asksOf(entries), checkFailed(entity.address, "state", error));
    }
  }
  for (const [at, entry] of entries.entries()) {
    if (entry.ask.answered) continue;
    if (entry.ask.unknownWrites.length > 0) {
      // An earlier write of it may still be applied: neither this reply nor "not written" would be true.
      entry.ask.fail(outcomeUnknown(entity.address, undefined));
    } else if (!entry.remember || (await remember(cell, entry))) deliver(entry);
    else return decideAgain(cell, { entries: entries.slice(at) }, undefined);
  }
}

/** Stores a reply in the ledger. Returns false if the ledger has another one. */
async function remember({ context, entity }: Cell, { ask, reply }: GroupEntry): Promise<boolean> {
  if (context.ledger === undefined || ask.identified === undefined) return true;
  const deadlineMs = Math.max(1, ask.endsAt - context.clock.monotonic());
  ask.writing = true;
  const outcome = await context.ledger.remember(ask.identified, reply, { deadlineMs });
  if (outcome.kind === "conflict") return false;
  if (outcome.kind === "rejected") ask.fail(notStored(entity.address, undefined, outcome.error));
  if (outcome.kind === "unknown") ask.fail(outcomeUnknown(entity.address, outcome.error));
  return true;
}

/** Fails commands whose latest write was not applied. An earlier write of the same command may have been. */
function failAll({ entity }: Cell, asks: readonly PendingAsk[], error: EntityError): void {
  for (const ask of asks) {
    ask.fail(ask.unknownWrites.length > 0 ? outcomeUnknown(entity.address, error) : error);
  }
}

function finishStored(cell: Cell, loaded: LoadedEntity, { entries, events }: Group): void {
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

/** Discards the state and puts the commands back, except those with too many conflicts. */
async function decideAgain(
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

/** Returns the commands that may be tried again. */
function countConflict(
  { context, entity }: Cell,
  { entries }: Pick<Group, "entries">,
  error: TablekeepError | undefined,
): PendingAsk[] {
  const waiting = asksOf(entries).filter((ask) => !ask.answered);
  for (const ask of waiting) {
    if (++ask.conflicts <= context.maxConflicts) continue;
    if (ask.unknownWrites.length > 0) ask.fail(outcomeUnknown(entity.address, error));
    else ask.fail(conflicted(entity.address, ask.conflicts, error));
  }
  return waiting.filter((ask) => !ask.answered);
}

function asksOf(entries: readonly GroupEntry[]): readonly PendingAsk[] {
  return entries.map(({ ask }) => ask);
}
