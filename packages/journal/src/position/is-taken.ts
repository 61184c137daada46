import type { CallOptions } from "@tablekeep/core";
import { readCommitState } from "../append/is-live.ts";
import { readTogether } from "../append/read-together.ts";
import type { JournalContext } from "../journal-context.ts";
import { firstOfBatch } from "../rows/event-row.ts";
import { readRow } from "../rows/read-row.ts";

/** Whether a number has a row that counts. Waits for one that becomes visible just now, and for what makes it count. */
export async function isTaken(
  context: JournalContext,
  persistenceId: string,
  sequenceNr: number,
  options: CallOptions,
): Promise<boolean> {
  const [item] = await readTogether(context, [context.layout.eventKey(persistenceId, sequenceNr)], options);
  const row = item && readRow(context, persistenceId, item);
  if (row?.kind !== "event" || !row.staged) return row !== undefined;
  const { committed } = await readCommitState(context, persistenceId, firstOfBatch(row), options);
  return committed === row.writeId;
}
