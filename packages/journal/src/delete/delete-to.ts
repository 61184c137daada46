import { checkTime, pauseBeforeRetry } from "../append/pause-before-retry.ts";
import { raiseHighMark } from "../append/raise-high-mark.ts";
import { isShared, type JournalCall, type JournalContext } from "../journal-context.ts";
import type { LowMark } from "../position/low-mark.ts";
import { readPosition } from "../position/read-position.ts";
import { dropDeleted } from "./drop-deleted.ts";
import { raiseLowMark } from "./low-mark-updates.ts";

/**
 * Deletes up to a number: first the low mark is raised, so that nobody reads what is being deleted, then the rows are
 * replaced by tombstones, or removed where an Akka plugin shares the table. The low mark remembers what is left to do: after a failure the next delete, whatever its
 * number, ends it.
 */
export async function deleteTo(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number,
  options: JournalCall,
): Promise<void> {
  const mark = await markDeleted(context, persistenceId, toSequenceNr, options);
  await dropDeleted(context, persistenceId, mark, options);
}

/** Makes sure that everything up to a number counts as deleted. Gives the low mark that says so. */
export async function markDeleted(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number,
  options: JournalCall,
): Promise<LowMark> {
  for (let retry = 0; ; retry++) {
    checkTime(options);
    const { high, highest, lowMark } = await readPosition(context, persistenceId, options);
    const to = Math.min(Math.floor(toSequenceNr), highest);
    if (to < 1 || to < lowMark.lowest) return lowMark;
    const raised = { ...lowMark, lowest: to + 1 };
    // The original looks for the last row in the bucket that the high mark names, and nowhere else.
    if (isShared(context))
      await raiseHighMark(context, persistenceId, { known: high, reached: highest }, options);
    if (await raiseLowMark(context, persistenceId, raised, options)) return raised;
    // Another delete was faster, or the same request came twice: the mark tells.
    await pauseBeforeRetry(context, retry, options);
  }
}
