import type { Cell } from "./cell.ts";
import { deliver } from "./group-entry.ts";
import { outcomeUnknown, partlyStored } from "./group-errors.ts";
import { type LoadedEntity, writerAt } from "./loaded-entity.ts";
import type { Doubt, PendingAsk } from "./pending-ask.ts";

/**
 * Looks, after a recovery, what became of writes whose fate was unknown. One that landed gets its answer. One whose
 * number another's event has can never land any more. Where the number is still free it may, so that its command stays
 * in doubt until a later write has taken the number.
 */
export async function settleDoubts(cell: Cell, loaded: LoadedEntity): Promise<void> {
  const { context, entity } = cell;
  const writers = new Map<number, string | undefined>();
  for (const ask of [...cell.queue].filter(({ doubts, answered }) => doubts.length > 0 && !answered)) {
    const open: Doubt[] = [];
    for (const doubt of ask.doubts) {
      const { first } = doubt;
      if (loaded.sequenceNr < first) {
        // Recovery under strict fencing shuts out whatever an earlier writer sent.
        if (context.journal.fencing !== "strict") open.push(doubt);
        continue;
      }
      if (!writers.has(first)) {
        writers.set(first, await writerAt(context.journal, entity.persistenceId, first, context.deadlineMs));
      }
      const writer = writers.get(first);
      if (writer === doubt.writerUuid) tellLanded(cell, ask, doubt);
      else if (writer === undefined) ask.fail(outcomeUnknown(entity.place, undefined));
    }
    ask.doubts = open;
  }
}

function tellLanded({ entity }: Cell, ask: PendingAsk, { entry }: Doubt): void {
  if (entry.atomic) deliver(entry);
  else ask.fail(partlyStored(entity.place, 1, entry.events.length, undefined));
}
