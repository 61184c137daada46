import type { CallOptions } from "@tablekeep/core";
import type { ReplayFilterMode } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { isJournalError } from "../errors/journal-error.ts";
import type { EventRow } from "../rows/event-row.ts";
import type { GivenRows } from "./batch-assembler.ts";
import { addChange, EarlierWriters, type Written } from "./earlier-writers.ts";
import { type ReplayRange, replayWrites } from "./replay-rows.ts";

/** A replay filter, as far as it depends on events that are not returned. */
export interface FilterMemory {
  readonly mode: ReplayFilterMode;
  /** Whether the filter has seen all events before the next one that it judges. */
  knowsEarlier: boolean;
  /** Remembers the writer of an event that is not returned. */
  learn(written: Written): void;
}

/** How many events are read at first, and at most, to find the writers before an event. */
const firstStep = 200;
const maxStep = 3_200;

/**
 * The events of a range, as {@link replayWrites} returns them. Only earlier events show whether the writer of an original's row
 * was superseded, so before the first page with such a row the filter learns them. A range without one costs nothing more.
 */
export async function* replayFiltered(
  context: JournalContext,
  persistenceId: string,
  range: ReplayRange,
  filter: FilterMemory,
  call: CallOptions,
): AsyncGenerator<readonly GivenRows[], void, undefined> {
  const lowest = Math.max(1, range.low);
  if (filter.mode === "off" || range.from <= lowest) filter.knowsEarlier = true;
  for await (const page of replayWrites(context, persistenceId, range, call)) {
    const first = page[0]?.rows[0]?.sequenceNr ?? 0;
    if (!filter.knowsEarlier && page.some(({ rows }) => rows.some(isJudged))) {
      await learnEarlier(
        context,
        persistenceId,
        { from: lowest, to: first - 1, low: range.low },
        filter,
        call,
      );
      filter.knowsEarlier = true;
    }
    yield page;
  }
}

/**
 * Shows a filter the writers of a range, from its end to its begin, because the last ones may be all that it remembers. If they are not,
 * all events are read: nothing but the events themselves says who wrote them.
 */
async function learnEarlier(
  context: JournalContext,
  persistenceId: string,
  range: ReplayRange,
  filter: FilterMemory,
  call: CallOptions,
): Promise<void> {
  const writers = new EarlierWriters();
  for (let to = range.to, step = firstStep; to >= range.from; step = Math.min(2 * step, maxStep)) {
    const from = Math.max(range.from, to - step + 1);
    const changes: Written[] = [];
    for await (const rows of rowsOf(context, persistenceId, { ...range, from, to }, call))
      for (const row of rows) addChange(changes, row);
    writers.addBefore(changes);
    if (writers.isDecided) break;
    if (writers.isTooLong) return learnInOrder(context, persistenceId, range, filter, call);
    to = from - 1;
  }
  for (const change of writers.inOrder()) filter.learn(change);
}

/** Shows a filter the events of a range in their order, which needs no memory. */
async function learnInOrder(
  context: JournalContext,
  persistenceId: string,
  range: ReplayRange,
  filter: FilterMemory,
  call: CallOptions,
): Promise<void> {
  for await (const rows of rowsOf(context, persistenceId, range, call))
    for (const row of rows) filter.learn(row);
}

/** Whether a filter may drop a row: an original's that names its writer. */
function isJudged({ writeId, writerUuid }: EventRow): boolean {
  return writeId === undefined && writerUuid !== "";
}

/** The events of a range as far as they can be read. Damage is reported to those who read the damaged events. */
async function* rowsOf(
  context: JournalContext,
  persistenceId: string,
  range: ReplayRange,
  call: CallOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  let next = range.from;
  let unread: { readonly from: number; readonly to: number };
  if (next > range.to) return;
  try {
    for await (const page of replayWrites(context, persistenceId, range, call, 0)) {
      for (const { rows } of page) {
        yield rows;
        next = (rows.at(-1)?.sequenceNr ?? next) + 1;
      }
    }
    return;
  } catch (error) {
    unread = unreadPlace(error, next);
  }
  // An item that is corrupt hides those before it on its page.
  yield* rowsOf(context, persistenceId, { ...range, from: next, to: unread.from - 1 }, call);
  yield* rowsOf(context, persistenceId, { ...range, from: unread.to + 1 }, call);
}

/** Returns the sequence numbers that an error says cannot be read, from `next` on; throws the error if it does not. */
function unreadPlace(error: unknown, next: number): { readonly from: number; readonly to: number } {
  if (isJournalError(error, "JOURNAL_REPLAY_TRIMMED") && error.details.lowest > next)
    return { from: next, to: error.details.lowest - 1 };
  if (isJournalError(error, "JOURNAL_DAMAGED") && error.details.sequenceNr >= next)
    return { from: next, to: error.details.sequenceNr };
  for (const code of ["JOURNAL_ROW_CORRUPT", "JOURNAL_CHECKSUM_MISMATCH"] as const) {
    if (!isJournalError(error, code) || error.details.sequenceNr < next) continue;
    return { from: error.details.sequenceNr, to: error.details.sequenceNr };
  }
  throw error;
}
