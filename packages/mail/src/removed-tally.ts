import { isTablekeepError } from "@tablekeep/core";
import { MailError } from "./mail-error.ts";

/** How many messages a delete has removed so far. */
export interface RemovedTally {
  removed: number;
}

/**
 * Runs a delete of any number of messages and gives how many it removed. One that fails on the way says so: what it
 * removed stays removed.
 */
export async function tallied(work: (tally: RemovedTally) => Promise<void>): Promise<number> {
  const tally: RemovedTally = { removed: 0 };
  try {
    await work(tally);
  } catch (error) {
    if (tally.removed === 0 || !isTablekeepError(error)) throw error;
    const message = `${tally.removed} messages were deleted before this failed (${error.code}): delete again to go on`;
    const details = { deleted: tally.removed };
    throw new MailError("MAIL_DELETE_INCOMPLETE", message, details, { cause: error, ambiguous: true });
  }
  return tally.removed;
}
