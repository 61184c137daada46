import type { CallOptions } from "@tablekeep/core";
import type { Inventory } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { liveness } from "../protocol/liveness.ts";
import { readPosition } from "../protocol/position.ts";
import { readRows } from "../protocol/read-rows.ts";

/** Marks and live numbers of an id, from the low mark up. */
export async function listAll(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<Inventory> {
  const { lowMarks, highMarks, lowest, highest } = await readPosition(context, persistenceId, options);
  const sequenceNrs: number[] = [];
  const isLive = liveness(context, persistenceId, options);
  for await (const page of readRows(context, persistenceId, { from: lowest, to: highest }, options)) {
    for (const row of page) {
      if (row.kind === "event" && (await isLive(row))) {
        sequenceNrs.push(row.sequenceNr);
      }
    }
  }
  const rising = (values: readonly number[]) => [...values].sort((a, b) => a - b);
  return { lowMarks: rising(lowMarks), highMarks: rising(highMarks), sequenceNrs };
}
