import { randomUUID } from "node:crypto";
import type { CallOptions } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { type Marks, readMarks } from "../position/read-marks.ts";
import { positionFrom } from "../position/read-position.ts";
import { raiseEpoch, removeIfDead, removeStagedRows } from "./clear-stage.ts";
import { pauseBeforeRetry } from "./pause-before-retry.ts";
import type { Stage } from "./writer-item.ts";
import { viewTime, type WriterSession } from "./writer-session.ts";

/** Takes an id over, and gives what its new writer must know. */
export async function recoverWriter(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<WriterSession> {
  await context.writesUnderWay.ended(persistenceId, options);
  const viewedAt = viewTime(context.clock);
  const { marks, epoch } = await takeOver(context, persistenceId, options);
  const position = await positionFrom(context, persistenceId, marks, options);
  return {
    persistenceId,
    writerUuid: randomUUID(),
    next: position.highest + 1,
    lowest: position.lowest,
    epoch,
    viewedAt,
    registered: position.highest > 0,
    ended: false,
  };
}

/**
 * A stage that an earlier writer recorded is cleared first: its commit is then a conflict. Under strict fencing the
 * epoch is raised in any case, and an earlier writer gets a conflict with its next append.
 */
async function takeOver(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<{ marks: Marks; epoch: number }> {
  const doubtful = new Map<string, Stage>();
  for (let retry = 0; ; retry++) {
    const marks = await readMarks(context, persistenceId, options);
    const { stage, epoch } = marks.writer;
    if (stage === undefined && context.fencing === "optimistic") {
      for (const each of doubtful.values()) await removeIfDead(context, persistenceId, each, options);
      return { marks, epoch };
    }
    if (await raiseEpoch(context, persistenceId, marks.writer, options)) {
      if (stage !== undefined) await removeStagedRows(context, persistenceId, stage, options);
      doubtful.delete(stage?.writeId ?? "");
      for (const each of doubtful.values()) await removeIfDead(context, persistenceId, each, options);
      // What was written before the epoch rose must be seen.
      return { marks: await readMarks(context, persistenceId, options), epoch: epoch + 1 };
    }
    // It may be cleared all the same, by a request whose answer was lost.
    if (stage !== undefined) doubtful.set(stage.writeId, stage);
    await pauseBeforeRetry(context, retry, options);
  }
}
