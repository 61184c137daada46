import type { JournalCall, JournalContext } from "../journal-context.ts";
import { isTaken } from "../position/is-taken.ts";
import { type Marks, readMarks } from "../position/read-marks.ts";
import { type Position, positionFrom } from "../position/read-position.ts";
import { pauseBeforeRetry } from "./pause-before-retry.ts";

/**
 * Where an id stands once its epoch was raised, for good: a write that was in time may still become visible, item by item,
 * and nothing of an earlier writer may appear once the id is taken over. The next number is looked at with a transaction of
 * reads, which waits for one that is under way.
 */
export async function finalPosition(
  context: JournalContext,
  persistenceId: string,
  marks: Marks,
  options: JournalCall,
): Promise<Position> {
  let latest = marks;
  for (let retry = 0; ; retry++) {
    const position = await positionFrom(context, persistenceId, latest, options);
    const next = position.highest + 1;
    if (next > Number.MAX_SAFE_INTEGER || !(await isTaken(context, persistenceId, next, options)))
      return position;
    await pauseBeforeRetry(context, retry, options);
    latest = await readMarks(context, persistenceId, options);
  }
}
