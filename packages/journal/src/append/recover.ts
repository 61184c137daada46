import { randomUUID } from "node:crypto";
import { checkTime, pauseBeforeRetry } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { clearStageAndRaiseEpoch, removeCleared } from "../protocol/clear-stage.ts";
import { type Marks, readMarks } from "../protocol/marks.ts";
import { finalPosition, positionFrom } from "../protocol/position.ts";
import { viewTime, type WriterSession } from "./writer-session.ts";

/** Takes an id over, and returns the data that its new writer needs. */
export async function recoverWriter(
  context: JournalContext,
  persistenceId: string,
  options: Call,
): Promise<WriterSession> {
  await context.writesUnderWay.ended(persistenceId, options);
  const viewedAt = viewTime(context.clock);
  const { marks, epoch } = await takeOver(context, persistenceId, options);
  const readPosition = context.fencing === "strict" ? finalPosition : positionFrom;
  const position = await readPosition(context, persistenceId, marks, options);
  return {
    persistenceId,
    writerUuid: randomUUID(),
    next: position.highest + 1,
    lowest: position.lowest,
    highMark: position.high,
    epoch,
    aboveHole: position.endsInHole,
    viewedAt,
    registered: position.highest > 0,
    ended: false,
    abandoned: undefined,
  };
}

/**
 * A stage that an earlier writer recorded is cleared first: its commit is then a conflict. Under strict fencing the
 * epoch is raised in any case, and an earlier writer gets a conflict with its next append.
 */
async function takeOver(
  context: JournalContext,
  persistenceId: string,
  options: Call,
): Promise<{ marks: Marks; epoch: number }> {
  for (let retry = 0; ; ) {
    checkTime(options);
    const marks = await readMarks(context, persistenceId, options);
    const { stage, cleared, epoch } = marks.writer;
    if (cleared !== undefined) {
      await removeCleared(context, persistenceId, cleared, options);
    } else if (stage === undefined && context.fencing === "optimistic") {
      return { marks, epoch };
    } else if (await clearStageAndRaiseEpoch(context, persistenceId, marks.writer, options)) {
      if (stage !== undefined) await removeCleared(context, persistenceId, stage, options);
      // What was written before the epoch rose must be seen.
      return { marks: await readMarks(context, persistenceId, options), epoch: epoch + 1 };
    } else {
      await pauseBeforeRetry(context, retry++, options);
    }
  }
}
