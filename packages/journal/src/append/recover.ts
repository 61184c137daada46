import { randomUUID } from "node:crypto";
import { checkTime, pauseBeforeRetry, startRetries } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { clearStageAndRaiseEpoch, removeCleared } from "../protocol/clear-stage.ts";
import { type Head, readHead } from "../protocol/head.ts";
import { markCorrupt } from "../protocol/marks.ts";
import { finalPosition, positionFrom } from "../protocol/position.ts";
import { type ViewTime, viewTime, type WriterSession } from "./writer-session.ts";

/** A head that was already read, after the appends in flight. */
export interface HeadRead {
  readonly head: Head;
  /** The time at which the read began. */
  readonly viewedAt: ViewTime;
}

/** Takes over an id and returns the data for its new writer. */
export async function recoverWriter(
  context: JournalContext,
  persistenceId: string,
  options: Call,
  read?: HeadRead,
): Promise<WriterSession> {
  if (read === undefined) await context.writesUnderWay.ended(persistenceId, options);
  const viewedAt = read?.viewedAt ?? viewTime(context.clock);
  const { head, epoch } = await takeOver(context, persistenceId, options, read?.head);
  const readPosition = context.fencing === "strict" ? finalPosition : positionFrom;
  const position = await readPosition(context, persistenceId, head, options);
  if (position.damaged !== undefined) throw markCorrupt(persistenceId, position.damaged);
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
 * epoch is always raised, and an earlier writer gets a conflict with its next append.
 */
async function takeOver(
  context: JournalContext,
  persistenceId: string,
  options: Call,
  read?: Head,
): Promise<{ head: Head; epoch: number }> {
  const retries = startRetries(context, options);
  for (let conflicts = 0, known = read; ; known = undefined) {
    checkTime(options);
    const head: Head = known ?? (await readHead(context, persistenceId, options));
    const { stage, cleared, epoch } = head.writer;
    if (cleared !== undefined) {
      await removeCleared(context, persistenceId, cleared, options);
    } else if (stage === undefined && context.fencing === "optimistic") {
      return { head, epoch };
    } else {
      const raised = await clearStageAndRaiseEpoch(context, persistenceId, head.writer, retries);
      if (raised === "cleared") {
        if (stage !== undefined) await removeCleared(context, persistenceId, stage, options);
        // Whatever was written before the epoch was raised must be visible.
        return { head: await readHead(context, persistenceId, options), epoch: epoch + 1 };
      }
      if (raised === "changed") await pauseBeforeRetry(context, conflicts++, options);
    }
  }
}
