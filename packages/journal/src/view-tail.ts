import { eventsWithin } from "./append/load.ts";
import { loadChecks } from "./context/call-checks.ts";
import type { Journal, JournalEvent, LoadOptions } from "./context/journal.ts";
import { type Call, callOptions, checkId, type JournalContext } from "./context/journal-context.ts";
import { partsOf } from "./context/opened.ts";
import { checkOptions } from "./errors/journal-error.ts";
import { checkTailCall, type JournalParts, type LoadTailOptions, partsBeside } from "./load-tail.ts";
import { readHead } from "./protocol/head.ts";
import { positionFrom, readPosition } from "./protocol/position.ts";
import { readWhole } from "./replay/packed-start.ts";
import { firstTailItems, readTail } from "./replay/read-tail.ts";
import type { ReplayRange } from "./replay/replay-rows.ts";
import { replayStart } from "./replay/replay-start.ts";
import { readSnapshotItem } from "./snapshots/load-snapshot.ts";
import type { Snapshot, Snapshots } from "./snapshots/snapshots.ts";

/** The events of an id and its position, as of one read. */
export interface EventsView<Event = unknown> {
  /** The highest sequence number that was ever assigned; 0 if none. */
  readonly highestSequenceNr: number;
  /** The lowest sequence number that is not deleted; 1 for a new id. */
  readonly lowestSequenceNr: number;
  /** The events up to the highest, in order. */
  readonly events: AsyncIterable<JournalEvent<Event>>;
}

/** The newest snapshot of an id and the events that it does not cover. */
export interface TailView<Event = unknown> extends EventsView<Event> {
  /** Undefined if the id has none: then `events` are all events. */
  readonly snapshot: Snapshot | undefined;
  /** Items that were needed: a `limit` with which ids like this one take one request. */
  readonly items: number;
}

/**
 * Reads the position of an id and the events from a sequence number on, without taking the id over. The position is read once,
 * in the packed layout together with the events. Returns undefined for a journal that was not returned by `openJournal`.
 *
 * @example
 * const view = await viewEvents(journal, "account-1", { from: 8 });
 */
export async function viewEvents<Event = unknown>(
  journal: Journal<Event>,
  persistenceId: string,
  options: LoadOptions = {},
): Promise<EventsView<Event> | undefined> {
  const parts = partsOf<JournalParts>(journal);
  if (parts === undefined) return undefined;
  const { context } = parts;
  checkId(context, persistenceId);
  checkOptions(options, loadChecks);
  const range = await rangeFrom(context, persistenceId, options);
  return viewOf(parts, persistenceId, options, range) as EventsView<Event>;
}

/**
 * Reads the newest snapshot of an id and the events after it with one request, without taking the id over. Only for snapshots
 * that are stored beside the events of a packed journal: returns undefined for all others, and where the newest snapshot
 * cannot be read.
 *
 * @example
 * const view = await viewTail(journal, snapshots, "account-1");
 */
export async function viewTail<Event = unknown>(
  journal: Journal<Event>,
  snapshots: Snapshots,
  persistenceId: string,
  options: LoadTailOptions = {},
): Promise<TailView<Event> | undefined> {
  const parts = partsBeside(journal, snapshots);
  if (parts === undefined) return undefined;
  const { context, store } = parts;
  const { limit = firstTailItems, signal, deadlineMs } = options;
  checkTailCall(context, persistenceId, options);
  const call = callOptions(context, options);
  await context.writesUnderWay.ended(persistenceId, call);
  const { head, snapshot: found, early, items } = await readTail(context, persistenceId, limit, call);
  const read = found && (await readSnapshotItem(store, persistenceId, found.item, call));
  if (read !== undefined && read.kind !== "read") return undefined;
  const { highest, low } = await positionFrom(context, persistenceId, head, call);
  const from = (found?.sequenceNr ?? 0) + 1;
  const view = viewOf(
    parts,
    persistenceId,
    { signal, deadlineMs, ...(found && { from }) },
    { from, to: highest, low, early: [early] },
  );
  return { ...(view as EventsView<Event>), snapshot: read?.snapshot, items };
}

/** Reads where the events end and begin, and the events that the same request returns. */
async function rangeFrom(
  context: JournalContext,
  persistenceId: string,
  options: LoadOptions,
): Promise<ReplayRange> {
  const from = Math.max(1, options.from ?? 1);
  const call = callOptions(context, options);
  if (context.layout.packed === undefined) return rangeOfRows(context, persistenceId, from, call);
  await context.writesUnderWay.ended(persistenceId, call);
  const { head, early } = await readWhole(context, persistenceId, from, call);
  const known = head ?? (await readHead(context, persistenceId, call));
  const { highest, low } = await positionFrom(context, persistenceId, known, call);
  // There was nothing when the events were read; the end was read later.
  const isOutdated = head === undefined && early.complete;
  return { from, to: highest, low, early: isOutdated ? [] : [early] };
}

/** A replay does not look for the end below its first number: with the event before it, it shows whether the id reaches there. */
async function rangeOfRows(
  context: JournalContext,
  persistenceId: string,
  from: number,
  call: Call,
): Promise<ReplayRange> {
  const begin = Math.max(1, from - 1);
  const range = await replayStart(context, persistenceId, { from: begin }, call);
  if (range.to >= begin || begin === 1) return range;
  const { highest, low } = await readPosition(context, persistenceId, call);
  return { from, to: highest, low };
}

function viewOf(
  { context, settings }: JournalParts,
  persistenceId: string,
  options: LoadOptions,
  range: ReplayRange,
): EventsView {
  return {
    highestSequenceNr: Math.max(range.to, range.low - 1, 0),
    lowestSequenceNr: Math.max(1, range.low),
    events: eventsWithin(context, settings, persistenceId, range, options),
  };
}
