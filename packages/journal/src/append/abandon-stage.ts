import type { JournalCall, JournalContext } from "../journal-context.ts";
import { raiseEpoch, removeCleared, removeStagedRows } from "./clear-stage.ts";
import { readWriter } from "./judge-occupant.ts";
import { checkTime, pauseBeforeRetry } from "./pause-before-retry.ts";
import type { Stage } from "./writer-item.ts";
import type { WriterSession } from "./writer-session.ts";

/**
 * Takes back a batch that will never be committed. Best effort, in the time that the call has left: the writer's next append
 * begins with it, and whoever takes the id over does the same. `inDoubt` says that its record may yet come.
 */
export async function abandonStage(
  context: JournalContext,
  session: WriterSession,
  { writeId, first, last }: Stage,
  inDoubt: boolean,
  options: JournalCall,
): Promise<void> {
  session.abandoned = { writeId, first, last, inDoubt };
  try {
    await clearAbandoned(context, session, options);
  } catch (error) {
    context.logger.warn("an abandoned batch is left for the next append or recovery", { error });
  }
}

/** Takes back what an earlier append of this writer has left. */
export async function clearAbandoned(
  context: JournalContext,
  session: WriterSession,
  options: JournalCall,
): Promise<void> {
  const { abandoned, persistenceId } = session;
  if (abandoned === undefined) return;
  for (let retry = 0; ; retry++) {
    checkTime(options);
    const state = await readWriter(context, persistenceId, options);
    // Of its own making, by a request whose answer was lost: nobody else has raised the epoch since.
    if (state.cleared?.by === session.writerUuid && state.epoch === session.epoch + 1) session.epoch++;
    if (state.cleared !== undefined) await removeCleared(context, persistenceId, state.cleared, options);
    const isMine = session.epoch === state.epoch;
    const mayCome = abandoned.inDoubt && isMine && state.stage === undefined;
    if (state.stage?.writeId !== abandoned.writeId && !mayCome) {
      // Somebody has cleared it, and may have removed its rows before the last of them came.
      await removeStagedRows(context, persistenceId, abandoned, options);
      break;
    }
    // It also refuses a record that comes late, and that would stand in this writer's own way.
    if (await raiseEpoch(context, persistenceId, state, options, session.writerUuid)) {
      // Only if it was mine until now: another's epoch is not.
      if (isMine) session.epoch++;
      // No row is put before its stage is known to be recorded.
      if (!mayCome) await removeCleared(context, persistenceId, abandoned, options);
      break;
    }
    await pauseBeforeRetry(context, retry, options);
  }
  session.abandoned = undefined;
}
