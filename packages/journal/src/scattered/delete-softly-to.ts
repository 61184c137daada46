import type { CallOptions } from "@tablekeep/core";
import { inParallel } from "../append/in-parallel.ts";
import type { JournalContext } from "../journal-context.ts";
import { readPosition } from "../position/read-position.ts";
import { deleteSoftly } from "./change-message.ts";

/**
 * Marks all messages up to a number as deleted. No mark is written: a low mark would say that the rows may go. (The
 * original writes an `SL` item for every message, which tells nothing that the message itself does not.)
 */
export async function deleteSoftlyTo(
  context: JournalContext,
  persistenceId: string,
  toSequenceNr: number,
  call: CallOptions,
): Promise<void> {
  const { lowest, highest } = await readPosition(context, persistenceId, call);
  const to = Math.min(toSequenceNr, highest);
  await inParallel(Math.max(0, to - lowest + 1), async (at) => {
    await deleteSoftly(context, persistenceId, lowest + at, call);
    return true;
  });
}
