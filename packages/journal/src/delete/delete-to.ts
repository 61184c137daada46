import { checkTime, pauseBeforeRetry } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { readPosition } from "../protocol/position.ts";
import { dropDeleted } from "./drop-deleted.ts";
import { claimLife, type Deleted, isSameLife, releaseLife } from "./life.ts";
import { raiseLowMark } from "./low-mark-updates.ts";

/**
 * Deletes up to a sequence number: first the low mark is raised, so that what is being deleted is not read, then the rows
 * are replaced by tombstones, or removed where an Akka plugin shares the table. The low mark remembers what is left to do:
 * after a failure the next delete, whatever its number, completes it.
 */
export async function deleteTo(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number,
  options: Call,
): Promise<void> {
  const deleted = await markDeleted(context, persistenceId, toSequenceNr, options);
  if (typeof deleted !== "string") await dropDeleted(context, persistenceId, deleted, options);
}

/**
 * Makes sure that everything up to a sequence number counts as deleted, and that the low mark in the writer item says so.
 * "purged" if the id was purged meanwhile, "empty" if it has no events.
 */
export async function markDeleted(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number,
  options: Call,
): Promise<Deleted | "purged" | "empty"> {
  checkTime(options);
  const life = await claimLife(context, persistenceId, options);
  for (let retry = 0; ; retry++) {
    checkTime(options);
    const { high, highest, lowMark, writer } = await readPosition(context, persistenceId, options);
    if (highest === 0) {
      await releaseLife(context, persistenceId, life, options);
      return "empty";
    }
    const to = Math.min(Math.floor(toSequenceNr), highest);
    const isDeleted = to < 1 || to < lowMark.lowest;
    if (isDeleted && writer.low >= lowMark.lowest) return { life, mark: lowMark };
    // A mark of the original is taken over as it is.
    const mark = isDeleted ? lowMark : { ...lowMark, lowest: to + 1 };
    const reached = { known: high, reached: highest };
    if (await raiseLowMark(context, persistenceId, mark, { life, high: reached }, options))
      return { life, mark };
    if (!(await isSameLife(context, persistenceId, life, options))) return "purged";
    // Another delete was first, or the same request arrived twice: read the mark again.
    await pauseBeforeRetry(context, retry, options);
  }
}
