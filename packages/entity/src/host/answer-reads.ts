import { isTablekeepError } from "@tablekeep/core";
import type { Cell } from "./cell.ts";
import { decideAgain } from "./finish-group.ts";
import type { Group } from "./form-group.ts";
import { deliver, type GroupEntry } from "./group-entry.ts";
import { notStored, outcomeUnknown } from "./group-errors.ts";
import type { LoadedEntity } from "./loaded-entity.ts";

/** Tells the callers of a group without events. Replies that the ledger is to remember are remembered first. */
export async function answerReads(cell: Cell, loaded: LoadedEntity, { entries }: Group): Promise<void> {
  const { context, entity } = cell;
  if (context.verifyReads) {
    try {
      const highest = await context.journal.highestSequenceNr(entity.persistenceId, {
        deadlineMs: context.deadlineMs,
      });
      if (highest !== loaded.sequenceNr) return decideAgain(cell, { entries }, undefined);
    } catch (error) {
      if (!isTablekeepError(error)) throw error;
      for (const { ask } of entries) ask.fail(notStored(entity.place, error));
      return;
    }
  }
  for (const [at, entry] of entries.entries()) {
    if (entry.ask.answered) continue;
    if (entry.ask.doubts.length > 0) {
      // An earlier write of it may still land, so that neither this answer nor "not written" would be true.
      entry.ask.fail(outcomeUnknown(entity.place, undefined));
    } else if (!entry.remember || (await remembered(cell, entry))) deliver(entry);
    else return decideAgain(cell, { entries: entries.slice(at) }, undefined);
  }
}

/** Whether the reply is settled; false if the ledger has another one. */
async function remembered({ context, entity }: Cell, { ask, reply }: GroupEntry): Promise<boolean> {
  if (context.ledger === undefined || ask.identified === undefined) return true;
  const deadlineMs = Math.max(1, ask.endsAt - context.clock.monotonic());
  ask.writing = true;
  const outcome = await context.ledger.remember(ask.identified, reply, { deadlineMs });
  if (outcome.kind === "conflict") return false;
  if (outcome.kind === "rejected") ask.fail(notStored(entity.place, outcome.error));
  if (outcome.kind === "unknown") ask.fail(outcomeUnknown(entity.place, outcome.error));
  return true;
}
