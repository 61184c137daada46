import type {
  FoldOptions,
  JournalEvent,
  JournalWriter,
  LoadedEvents,
  LoadedState,
  LoadOptions,
} from "../context/journal.ts";
import { type JournalContext, requestOptions } from "../context/journal-context.ts";
import { isJournalError } from "../errors/journal-error.ts";
import { EventStream, eventOf } from "../replay/replay.ts";
import { ReplayLimit, type ReplaySettings } from "../replay/replay-limit.ts";
import { replayWrites } from "../replay/replay-rows.ts";
import type { EventRow } from "../rows/event-row.ts";

/**
 * The events that a writer may append after: those up to the position that its recovery read. The position is not read
 * again, and events that others append meanwhile are not returned: they make the writer's next append a conflict.
 */
export function eventsOfWriter(
  context: JournalContext,
  settings: ReplaySettings,
  writer: JournalWriter,
  options: LoadOptions,
): LoadedEvents {
  const bounds = { to: writer.highestSequenceNr, low: writer.lowestSequenceNr };
  const events: AsyncIterable<JournalEvent> = {
    [Symbol.asyncIterator]: () =>
      new EventStream(pagesUpTo(context, settings, writer.persistenceId, bounds, options), (row) =>
        eventOf(context, row),
      ),
  };
  return { writer, events };
}

async function* pagesUpTo(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  { to, low: lowAtRecovery }: { readonly to: number; readonly low: number },
  options: LoadOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const call = requestOptions(context, options);
  for (let low = lowAtRecovery; ; ) {
    const from = Math.max(options.from ?? 1, low);
    if (from > to) return;
    try {
      const limit = new ReplayLimit(context, settings);
      for await (const page of replayWrites(context, persistenceId, { from, to, low }, call))
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

/** How often a fold starts again because events were deleted meanwhile. */
const maxRestarts = 5;

/** Folds the events of a writer into a state. Starts again if events are deleted during the replay. */
export async function foldEvents<State>(
  { writer, events }: LoadedEvents,
  { initial, evolve }: Pick<FoldOptions<State>, "initial" | "evolve">,
): Promise<LoadedState<State>> {
  for (let restarts = 0; ; restarts++) {
    try {
      let state = initial(writer.persistenceId);
      for await (const event of events) state = evolve(state, event.payload, event);
      return { writer, state };
    } catch (error) {
      if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED") || restarts >= maxRestarts) throw error;
    }
  }
}
