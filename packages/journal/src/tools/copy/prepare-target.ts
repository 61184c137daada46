import { raiseHighMark } from "../../append/raise-high-mark.ts";
import { recoverWriter } from "../../append/recover.ts";
import type { WriterSession } from "../../append/writer-session.ts";
import { deleteTo } from "../../delete/delete-to.ts";
import { claimLife } from "../../delete/life.ts";
import { finishDelete, raiseLowMark } from "../../delete/low-mark-updates.ts";
import { checkId } from "../../journal-context.ts";
import { readMarks } from "../../position/read-marks.ts";
import { registerId } from "../../registry/register-id.ts";
import type { Tool } from "../open-tool.ts";
import type { CopyOptions, CopySource } from "./copy-id.ts";
import { copyRefused } from "./copy-refusals.ts";

/** Takes the id over in the target, and makes it begin where the source begins. Gives the low mark that holds then. */
export async function prepareTarget(
  target: Tool,
  { persistenceId, lowest }: Pick<CopySource, "persistenceId" | "lowest">,
  { followDeletes }: Pick<CopyOptions, "followDeletes">,
): Promise<{ readonly session: WriterSession; readonly low: number }> {
  const { context, call } = target;
  // Keys may be longer in the target: another layout, another journal name.
  checkId(context, persistenceId);
  const session = await recoverWriter(context, persistenceId, call);
  const there = session.next - 1;
  // Before anything else: an id whose events are all deleted gets no row that would make it known.
  await registerId(context, persistenceId, call);
  session.registered = true;
  if (session.lowest >= lowest) {
    // An earlier run may have ended between the marks.
    await publishLowMark(target, persistenceId);
    await raiseHighMarkOf(target, session, Math.max(there, session.lowest - 1));
    return { session, low: session.lowest };
  }
  if (there > 0) {
    if (there >= lowest - 1 && !followDeletes) return { session, low: lowest };
    if (!followDeletes) {
      const reason = `the target ends at ${there}, and the source begins at ${lowest}`;
      throw copyRefused(persistenceId, there, reason);
    }
    await deleteTo(context, persistenceId, lowest - 1, call);
  }
  if (there < lowest - 1) {
    await raiseMarks(target, session, lowest);
    session.next = lowest;
  }
  return { session: { ...session, lowest }, low: lowest };
}

/** Numbers below the lowest count as given and deleted. The high mark too: the original looks for nothing without it. */
async function raiseMarks(target: Tool, session: WriterSession, lowest: number): Promise<void> {
  const { context, call } = target;
  const { persistenceId } = session;
  const life = await claimLife(context, persistenceId, call);
  const { lowMark } = await readMarks(context, persistenceId, call);
  const none = { rowsFrom: lowest, tombsFrom: lowMark.lowest === 0 ? lowest : lowMark.tombsFrom };
  const mark = { ...lowMark, lowest, ...none };
  await raiseLowMark(context, persistenceId, mark, { life }, call);
  await finishDelete(context, persistenceId, mark, { life }, call);
  await raiseHighMarkOf(target, session, lowest - 1);
}

async function publishLowMark({ context, call }: Tool, persistenceId: string): Promise<void> {
  const { low, publishedLow } = await readMarks(context, persistenceId, call);
  if (publishedLow >= low) return;
  const life = await claimLife(context, persistenceId, call);
  const { lowMark } = await readMarks(context, persistenceId, call);
  await finishDelete(context, persistenceId, lowMark, { life }, call);
}

async function raiseHighMarkOf(
  { context, call }: Tool,
  session: WriterSession,
  reached: number,
): Promise<void> {
  const { persistenceId, highMark: known } = session;
  await raiseHighMark(context, persistenceId, { known, reached }, call);
  session.highMark = Math.max(known, context.layout.highMark(persistenceId, known, reached)?.value ?? 0);
}
