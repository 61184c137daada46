import { isTablekeepError } from "@tablekeep/core";
import { MailError } from "./mail-error.ts";

/** Counts the messages that a delete has removed so far. */
export interface RemovedTally {
  /** Counts messages that are gone from now on. */
  add(ids: readonly string[]): void;
}

/**
 * Runs a delete of any number of messages and returns how many it removed. `onRemoved` receives their ids as they go. A
 * delete that fails midway reports how many it removed: these stay removed.
 */
export async function tallied(
  work: (tally: RemovedTally) => Promise<void>,
  onRemoved: (ids: readonly string[]) => void,
): Promise<number> {
  let removed = 0;
  const tally: RemovedTally = {
    add(ids) {
      removed += ids.length;
      if (ids.length > 0) onRemoved(ids);
    },
  };
  try {
    await work(tally);
  } catch (error) {
    if (removed === 0 || !isTablekeepError(error)) throw error;
    const message = `${removed} messages were deleted before this failed (${error.code}): delete again to go on`;
    const details = { deleted: removed };
    throw new MailError("MAIL_DELETE_INCOMPLETE", message, details, { cause: error, ambiguous: true });
  }
  return removed;
}
