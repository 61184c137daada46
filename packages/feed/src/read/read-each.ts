import type { CallOptions } from "@tablekeep/core";
import { isJournalError, type JournalEvent } from "@tablekeep/journal";
import type { JournalChanges } from "@tablekeep/journal/changes";
import type { FeedRef } from "../pages/page.ts";

/** The errors of events themselves. Others, such as a missing permission, are those of all events. */
const eventErrors = [
  "JOURNAL_ITEM_CORRUPT",
  "JOURNAL_ROW_CORRUPT",
  "JOURNAL_CHECKSUM_MISMATCH",
  "JOURNAL_PAYLOAD_CORRUPT",
  "JOURNAL_PAYLOAD_TOO_LARGE",
  "JOURNAL_DAMAGED",
  "JOURNAL_KEY_MISSING",
  "JOURNAL_KEY_UNREADABLE",
  "JOURNAL_OLD_WRITER",
] as const;

/** Whether events cannot be read because of what is stored. */
export function isUnreadable(error: unknown): boolean {
  return eventErrors.some((code) => isJournalError(error, code));
}

/** Returns the events of each write; undefined for a write that cannot be read, which does not keep others from being read. */
export async function readEach(
  changes: JournalChanges,
  refs: readonly FeedRef[],
  call: CallOptions,
): Promise<(readonly JournalEvent[] | undefined)[]> {
  try {
    return await changes.readWrites(refs, call);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  const found: (readonly JournalEvent[] | undefined)[] = [];
  for (const ref of refs) {
    try {
      found.push((await changes.readWrites([ref], call))[0]);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      found.push(undefined);
    }
  }
  return found;
}

/** An event that cannot be read. */
export interface UnreadEvent {
  readonly sequenceNr: number;
  readonly error: unknown;
}

/** Reads the events of a write one by one: one that cannot be read does not keep others from being read. Deleted ones are missing. */
export async function readOneByOne(
  changes: JournalChanges,
  ref: FeedRef,
  call: CallOptions,
): Promise<(JournalEvent | UnreadEvent)[]> {
  const found: (JournalEvent | UnreadEvent)[] = [];
  for (let sequenceNr = ref.first; sequenceNr <= ref.last; sequenceNr++) {
    try {
      const [events = []] = await changes.readWrites([{ ...ref, only: sequenceNr }], call);
      found.push(...events);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      found.push({ sequenceNr, error });
    }
  }
  return found;
}
