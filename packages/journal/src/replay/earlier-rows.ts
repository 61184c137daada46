import type { CallOptions } from "@tablekeep/core";
import type { ReplayFilterMode } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { isJournalError } from "../errors/journal-error.ts";
import type { EventRow } from "../rows/event-row.ts";
import type { GivenRows } from "./batch-assembler.ts";
import { type ReplayRange, replayWrites } from "./replay-rows.ts";

/** A replay filter, as far as it depends on events that are not returned. */
export interface FilterMemory {
  readonly mode: ReplayFilterMode;
  /** Whether the filter has seen all events before the next one that it judges. */
  knowsEarlier: boolean;
  /** Remembers the writer of an event that is not returned. */
  learn(row: EventRow): void;
}

/**
 * How many earlier events show which writers were superseded. A writer that was superseded stops when it notices: Akka's own filter looks
 * at 100 events. More would make a read after a snapshot as expensive as one of the whole id.
 */
const learnedEvents = 200;

/**
 * The events of a range, as {@link replayWrites} returns them. Only earlier events show whether the writer of an original's row
 * was superseded, so before the first page with such a row the filter learns the last ones before it. A range without one costs
 * nothing more.
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
      const earlier = { from: Math.max(lowest, first - learnedEvents), to: first - 1, low: range.low };
      for await (const rows of rowsOf(context, persistenceId, earlier, call))
        for (const row of rows) filter.learn(row);
      filter.knowsEarlier = true;
    }
    yield page;
  }
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
