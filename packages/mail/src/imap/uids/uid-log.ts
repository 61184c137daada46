import type { CallOptions, Clock } from "@tablekeep/core";

/** A message with its UID. */
export interface UidEntry {
  readonly uid: number;
  readonly id: string;
}

/**
 * The UIDs of a mailbox: the ids of messages in the order in which they were numbered. It only grows, so every reader sees the
 * same numbers in the same order.
 */
export interface UidLog {
  /** UIDVALIDITY. Valid after the first {@link read}. */
  readonly validity: number;
  /** No further message gets a UID below this number. Valid after the first {@link read}. */
  readonly nextUid: number;
  /** Returns the entries since the last call, in order. */
  read(call: CallOptions): Promise<readonly UidEntry[]>;
  /**
   * Numbers the first of these messages, as many as fit, unless another server has numbered some since the last {@link read}. Read
   * again in both cases.
   */
  append(ids: readonly string[], call: CallOptions): Promise<void>;
}

/** UIDs that are valid while the process runs: UIDVALIDITY is the time of the start. */
export function memoryUidLog(clock: Clock): UidLog {
  let unread: UidEntry[] = [];
  let nextUid = 1;
  return {
    validity: validityAt(clock),
    get nextUid() {
      return nextUid;
    },
    async read() {
      const entries = unread;
      unread = [];
      return entries;
    },
    async append(ids) {
      for (const id of ids) unread.push({ uid: nextUid++, id });
    },
  };
}

/** A UIDVALIDITY for UIDs that begin now: seconds since 1970, which IMAP limits to 32 bits. */
export function validityAt(clock: Clock): number {
  return Math.max(1, Math.floor(clock.now() / 1000) % 2 ** 32);
}
