import { isDynamoError } from "@tablekeep/core";
import { markUpdate } from "../../append/extra-actions.ts";
import { recoverWriter } from "../../append/recover.ts";
import type { WriterSession } from "../../append/writer-session.ts";
import { deleteTo } from "../../delete/delete-to.ts";
import { raiseLowMark } from "../../delete/low-mark-updates.ts";
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
  const session = await recoverWriter(context, persistenceId, call);
  const there = session.next - 1;
  // Before anything else: an id whose events are all deleted gets no row that would make it known.
  await registerId(context, persistenceId, call);
  session.registered = true;
  if (session.lowest >= lowest) return { session, low: session.lowest };
  if (there > 0) {
    if (there >= lowest - 1 && !followDeletes) return { session, low: lowest };
    if (!followDeletes) {
      const reason = `the target ends at ${there}, and the source begins at ${lowest}`;
      throw copyRefused(persistenceId, there, reason);
    }
    await deleteTo(context, persistenceId, lowest - 1, call);
  }
  if (there < lowest - 1) {
    await raiseMarks(target, persistenceId, lowest);
    session.next = lowest;
  }
  return { session: { ...session, lowest }, low: lowest };
}

/** Numbers below the lowest count as given and deleted. The high mark too: the original looks for nothing without it. */
async function raiseMarks({ context, call }: Tool, persistenceId: string, lowest: number): Promise<void> {
  const { lowMark } = await readMarks(context, persistenceId, call);
  const none = { rowsFrom: lowest, tombsFrom: lowMark.lowest === 0 ? lowest : lowMark.tombsFrom };
  await raiseLowMark(context, persistenceId, { ...lowMark, lowest, ...none }, call);
  const high = context.layout.highMark(persistenceId, 1, lowest - 1);
  if (high === undefined) return;
  try {
    await context.port.updateItem(markUpdate(context.table, high), { ...call, idempotent: true });
  } catch (error) {
    // A higher one stands there.
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
  }
}
