import { callAborted } from "../context/calls.ts";
import type {
  FoldOptions,
  JournalEvent,
  JournalWriter,
  LoadedEvents,
  LoadedState,
  LoadOptions,
} from "../context/journal.ts";
import { callOptions, type JournalContext, requestOptions } from "../context/journal-context.ts";
import { isJournalError } from "../errors/journal-error.ts";
import { type EarlyRows, readInFull } from "../protocol/read-rows.ts";
import { replayFiltered } from "../replay/earlier-rows.ts";
import { readWhole } from "../replay/packed-start.ts";
import { EventStream, eventReader } from "../replay/replay.ts";
import { ReplayLimit, type ReplaySettings } from "../replay/replay-limit.ts";
import type { ReplayRange } from "../replay/replay-rows.ts";
import type { EventRow } from "../rows/event-row.ts";
import { journalWriter } from "./journal-writer.ts";
import { recoverWriter } from "./recover.ts";
import { viewTime } from "./writer-session.ts";

/** Takes over an id and returns its events; in the packed layout with one request, if they are one page. */
export async function loadId(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: LoadOptions,
): Promise<LoadedEvents> {
  const call = callOptions(context, options);
  if (context.layout.packed === undefined) {
    const writer = journalWriter(context, await recoverWriter(context, persistenceId, call));
    return eventsOfWriter(context, settings, writer, options);
  }
  await context.writesUnderWay.ended(persistenceId, call);
  const viewedAt = viewTime(context.clock);
  const { head, early } = await readWhole(context, persistenceId, Math.max(1, options.from ?? 1), call);
  const session = await recoverWriter(context, persistenceId, call, head && { head, viewedAt });
  return eventsOfWriter(context, settings, journalWriter(context, session), options, [early]);
}

/**
 * The events that a writer may append after: those up to the position that its recovery read. The position is not read
 * again, and events that others append meanwhile are not returned: they make the writer's next append a conflict.
 */
export function eventsOfWriter(
  context: JournalContext,
  settings: ReplaySettings,
  writer: JournalWriter,
  options: LoadOptions,
  early: readonly EarlyRows[] = [],
): LoadedEvents {
  const bounds = { to: writer.highestSequenceNr, low: writer.lowestSequenceNr, early };
  return { writer, events: eventsWithin(context, settings, writer.persistenceId, bounds, options) };
}

/** The events of an id within bounds that were read before. May be iterated again. */
export function eventsWithin(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  bounds: Pick<ReplayRange, "to" | "low" | "early">,
  options: LoadOptions,
): AsyncIterable<JournalEvent> {
  return {
    [Symbol.asyncIterator]: () =>
      new EventStream(
        pagesUpTo(context, settings, persistenceId, bounds, options),
        eventReader(context, options),
      ),
  };
}

async function* pagesUpTo(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  { to, low: lowAtRecovery, early }: Pick<ReplayRange, "to" | "low" | "early">,
  options: LoadOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const call = requestOptions(context, options);
  for (let low = lowAtRecovery; ; ) {
    const from = Math.max(options.from ?? 1, low);
    if (from > to) return;
    try {
      const limit = new ReplayLimit(context, settings);
      // The rows that were read with the position may be incomplete.
      const range = { from, to, low, ...(low === lowAtRecovery && { early }) };
      const known = readInFull(range, range.early ?? []);
      if (known !== undefined) {
        if (call.signal?.aborted) throw callAborted(call.signal.reason);
        yield known;
        return;
      }
      for await (const page of replayFiltered(context, persistenceId, range, limit, call))
        yield* limit.take(page);
      return;
    } catch (error) {
      // Deleted before the first event was returned: start again where the journal begins now. A caller that named the
      // first sequence number needs that one.
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED")) throw error;
      if (error.details.gaveEvents || options.from !== undefined) throw error;
      low = error.details.lowest;
    }
  }
}

/** The maximum number of times that a fold starts again because events were deleted meanwhile. */
const maxRestarts = 5;

/** Folds the events of a writer into a state. Starts again if events are deleted during the replay. */
export async function foldEvents<State>(
  { writer, events }: LoadedEvents,
  { initial, evolve }: Pick<FoldOptions<State>, "initial" | "evolve">,
): Promise<LoadedState<State>> {
  for (let restarts = 0; ; restarts++) {
    try {
      let state = initial(writer.persistenceId);
      for await (const event of events)
        if (event.gone === undefined) state = evolve(state, event.payload, event);
      return { writer, state };
    } catch (error) {
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED") || restarts >= maxRestarts) throw error;
    }
  }
}
