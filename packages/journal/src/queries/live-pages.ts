import type { ReplayOptions } from "../journal.ts";
import { type JournalContext, requestOptions } from "../journal-context.ts";
import { isJournalError } from "../journal-error.ts";
import { ReplayLimit, type ReplaySettings } from "../replay/replay-limit.ts";
import { replayWrites } from "../replay/replay-rows.ts";
import { replayStart } from "../replay/replay-start.ts";
import type { EventRow } from "../rows/event-row.ts";
import { BetweenLooks } from "./between-looks.ts";

/**
 * The rows of a live query, page by page. Each look is a replay of what came since the last one; filter and limit are
 * those of the whole query.
 */
export async function* livePages(
  context: JournalContext,
  settings: ReplaySettings,
  persistenceId: string,
  options: ReplayOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const { to = Number.MAX_SAFE_INTEGER, max, signal } = options;
  const call = requestOptions(context, options);
  const limit = new ReplayLimit(context, settings, max);
  const looks = new BetweenLooks(context, signal);
  let from = options.from ?? 1;
  while (from <= to && !limit.reached) {
    const before = from;
    try {
      const range = await replayStart(context, persistenceId, { from, to, max }, call);
      // From now on a number, also if -1 was asked for.
      from = range.from;
      for await (const page of replayWrites(context, persistenceId, range, call)) {
        yield* limit.take(page);
        if (limit.reached) return;
        // What the filter discarded is behind us too. What is not whole yet is not: the next look may find the rest.
        const last = page[page.length - 1]?.rows.at(-1);
        if (last !== undefined) from = last.sequenceNr + 1;
      }
      if (range.to >= to) return;
    } catch (error) {
      // Deleted under our hands, as may happen between two looks: go on where the journal begins now.
      if (isJournalError(error, "JOURNAL_REPLAY_TRIMMED")) continue;
      if (!(await looks.waitAfter(error))) return;
      continue;
    }
    if (!(await looks.wait(from > before))) return;
  }
}
