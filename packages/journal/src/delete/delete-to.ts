import { optionCheck } from "@tablekeep/core";
import { checkSequenceNr } from "../context/call-checks.ts";
import { checkTime, pauseBeforeRetry } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import type { CorruptEnd } from "../protocol/head.ts";
import { readPosition } from "../protocol/position.ts";
import { dropDeleted } from "./drop-deleted.ts";
import { claimLife, type Deleted, isSameLife, type Life, releaseLife } from "./life.ts";
import { raiseLowMark } from "./low-mark-updates.ts";

/**
 * Deletes up to a sequence number. First it raises the low mark, so that the events being deleted are not read. Then it
 * replaces the rows with tombstones, or removes them if an Akka plugin shares the table. The low mark records the remaining
 * work, so that after a failure the next delete completes it.
 */
export async function deleteTo(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number | (() => Promise<number | undefined>),
  options: Call,
): Promise<void> {
  const deleted = await markDeleted(context, persistenceId, toSequenceNr, options);
  if (typeof deleted !== "string") await dropDeleted(context, persistenceId, deleted, options);
}

/**
 * Makes sure that everything up to a sequence number counts as deleted, and that the low mark in the writer item says so.
 * "purged" if the id was purged meanwhile, "empty" if it has no events, "nothing" if the number that was read requires nothing.
 */
export async function markDeleted(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number | (() => Promise<number | undefined>),
  options: Call,
  corruptEnd?: CorruptEnd,
): Promise<Deleted | "purged" | "empty" | "nothing"> {
  checkTime(options);
  const life = await claimLife(context, persistenceId, options);
  const isRead = typeof toSequenceNr === "function";
  const wanted = isRead ? await readIn(context, persistenceId, life, toSequenceNr, options) : toSequenceNr;
  if (wanted === undefined) return "nothing";
  for (let retry = 0; ; retry++) {
    checkTime(options);
    const { high, highest, lowMark, writer } = await readPosition(
      context,
      persistenceId,
      options,
      corruptEnd,
    );
    if (highest === 0) {
      await releaseLife(context, persistenceId, life, options);
      return "empty";
    }
    // A number that was read and is above the highest belongs to events that were purged or lost.
    if (isRead && wanted > highest) return "nothing";
    const to = Math.min(Math.floor(wanted), highest);
    const isDeleted = to < 1 || to < lowMark.lowest;
    if (isDeleted && writer.low >= lowMark.lowest) return { life, mark: lowMark };
    // A mark of the original is copied as it is.
    const mark = isDeleted ? lowMark : { ...lowMark, lowest: to + 1 };
    const reached = { known: high, reached: highest };
    if (await raiseLowMark(context, persistenceId, mark, { life, high: reached }, options))
      return { life, mark };
    if (!(await isSameLife(context, persistenceId, life, options))) return "purged";
    // Another delete was first, or the request arrived twice: read the mark again.
    await pauseBeforeRetry(context, retry, options);
  }
}

/** Reads the number to delete to, in a life of the id that is known. Leaves no writer item to an id that has none. */
async function readIn(
  context: JournalContext,
  persistenceId: string,
  life: Life,
  read: () => Promise<number | undefined>,
  options: Call,
): Promise<number | undefined> {
  let sequenceNr: number | undefined;
  try {
    sequenceNr = await read();
    if (sequenceNr !== undefined) checkSequenceNr("toSequenceNr", sequenceNr, optionCheck.upperBound);
    return sequenceNr;
  } finally {
    if (sequenceNr === undefined) await releaseLife(context, persistenceId, life, options);
  }
}
