import { isTablekeepError } from "@tablekeep/core";
import { longMailCall, type MailCall, type MailContext } from "./model/mail-context.ts";
import { MailError } from "./model/mail-error.ts";
import type { ChangeEntry, MailLayout, RemovalCounter } from "./model/mail-layout.ts";

/** Limits the number of messages. */
export interface Retention {
  /** Deletes the oldest messages beyond the limit; returns their number. */
  trim(call: MailCall): Promise<number>;
  /** Reports a stored message. Trims in the background, not for every message, and once more after the last one. */
  stored(): void;
  /** Cancels pending trims. */
  close(): void;
}

/** Milliseconds between two trims. */
const pauseMs = 10_000;

/** The number of messages that are deleted together. */
const atOnce = 990;

/** Receives the ids of messages that were deleted, and the entry of the change. */
export type OnRemoved = (ids: readonly string[], change?: ChangeEntry) => void;

/** `onRemoved` receives the ids of messages that were deleted. */
export function retention(context: MailContext, layout: MailLayout, onRemoved: OnRemoved): Retention {
  const { clock, maxMessages, logger } = context;
  // Counting costs requests: trimming may wait for this many surplus messages.
  const slack = Math.max(1, Math.floor(maxMessages / 20));
  let since = 0;
  let trimmedAt = Number.NEGATIVE_INFINITY;
  let trimming = false;
  let closed = false;
  let again = false;
  /** Cancels the scheduled trim. */
  let cancel: (() => void) | undefined;
  const trim = async (call: MailCall): Promise<number> => {
    if (maxMessages === Number.MAX_SAFE_INTEGER) return 0;
    return countRemoved(async (removed) => {
      let batch: string[] = [];
      // Counted from the newest, so that a concurrent trim by another instance makes no difference.
      for await (const { id } of layout.newest({ skip: maxMessages, want: atOnce }, call)) {
        batch.push(id);
        if (batch.length < atOnce) continue;
        await layout.remove(batch, call, removed);
        batch = [];
      }
      await layout.remove(batch, call, removed);
    }, onRemoved);
  };
  const trimQuietly = async () => {
    trimming = true;
    do {
      again = false;
      since = 0;
      trimmedAt = clock.monotonic();
      try {
        await trim(longMailCall(context));
      } catch (error) {
        logger.warn("could not delete the oldest messages", { table: context.table, error });
        trimLater();
      }
    } while (again);
    trimming = false;
  };
  const trimNow = () => {
    cancel?.();
    cancel = undefined;
    if (trimming) again = true;
    else context.background.add(trimQuietly());
  };
  /** Messages beyond the limit must not stay until another one is stored. */
  const trimLater = () => {
    if (closed) return;
    cancel ??= clock.after(pauseMs - (clock.monotonic() - trimmedAt), trimNow, { background: true });
  };
  return {
    trim,
    stored() {
      if (maxMessages === Number.MAX_SAFE_INTEGER) return;
      since++;
      if (since >= slack || clock.monotonic() - trimmedAt >= pauseMs) trimNow();
      else trimLater();
    },
    close() {
      closed = true;
      cancel?.();
    },
  };
}

/**
 * Runs a delete of any number of messages and returns how many it removed. `onRemoved` receives their ids. A
 * delete that fails midway reports how many it removed: these stay removed.
 */
export async function countRemoved(
  work: (removed: RemovalCounter) => Promise<void>,
  onRemoved: OnRemoved,
): Promise<number> {
  let count = 0;
  const counter: RemovalCounter = {
    add(ids, change) {
      count += ids.length;
      if (ids.length > 0) onRemoved(ids, change);
    },
    addAll(all) {
      count += all;
    },
  };
  try {
    await work(counter);
  } catch (error) {
    if (count === 0 || !isTablekeepError(error)) throw error;
    const message = `${count} messages were deleted before this failed (${error.code}): delete again to continue`;
    throw new MailError(
      "MAIL_DELETE_INCOMPLETE",
      message,
      { deleted: count },
      { cause: error, ambiguous: true },
    );
  }
  return count;
}
