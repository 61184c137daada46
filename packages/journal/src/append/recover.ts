import { randomUUID } from "node:crypto";
import type { CallOptions } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { readMarks } from "../position/read-marks.ts";
import { positionFrom } from "../position/read-position.ts";
import { raiseEpoch, removeStagedRows } from "./clear-stage.ts";
import type { WriterSession } from "./writer-session.ts";

/**
 * Takes an id over. A stage that an earlier writer recorded is cleared first: its commit is then a conflict. Under strict
 * fencing the epoch is raised in any case, and an earlier writer gets a conflict with its next append.
 */
export async function recoverWriter(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<WriterSession> {
  for (;;) {
    let marks = await readMarks(context, persistenceId, options);
    const { stage } = marks.writer;
    let { epoch } = marks.writer;
    if (stage !== undefined || context.fencing === "strict") {
      if (!(await raiseEpoch(context, persistenceId, marks.writer, options))) continue;
      epoch++;
      if (stage !== undefined) await removeStagedRows(context, persistenceId, stage, options);
      // What was written before the epoch rose must be seen.
      marks = await readMarks(context, persistenceId, options);
    }
    const position = await positionFrom(context, persistenceId, marks, options);
    return {
      persistenceId,
      writerUuid: randomUUID(),
      next: position.highest + 1,
      lowest: position.lowest,
      epoch,
      viewedAt: context.clock.monotonic(),
      registered: position.highest > 0,
      ended: false,
    };
  }
}
