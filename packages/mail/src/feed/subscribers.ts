import type { MailSummary } from "../model/mail.ts";
import { MailError } from "../model/mail-error.ts";

/** Those who watch. */
export interface Subscribers {
  readonly size: number;
  /** One more. While `joinedAt` is known, what others are told of earlier moments is not for it. */
  add(watcher: Subscription, joinedAt?: number): void;
  /** From now on the watcher hears everything. */
  joined(watcher: Subscription): void;
  /** Ends a watcher. */
  remove(watcher: Subscription): void;
  /** Ends all of them, with an error that tells how many messages are too many. */
  removeAll(maximum?: number): void;
  /** Tells of a message that was stored just now. */
  tell(summary: MailSummary): void;
  /** Reports messages that were deleted just now. */
  tellDeleted(ids: readonly string[]): void;
  /** Tells of a message that was found: it may have been there for some time. */
  tellFound(summary: MailSummary): void;
}

export function subscribers(): Subscribers {
  const watchers = new Map<Subscription, number>();
  const remove = (watcher: Subscription) => {
    watchers.delete(watcher);
    watcher.end();
  };
  return {
    get size() {
      return watchers.size;
    },
    add(watcher, joinedAt = Number.NEGATIVE_INFINITY) {
      watchers.set(watcher, joinedAt);
    },
    joined(watcher) {
      if (watchers.has(watcher)) watchers.set(watcher, Number.NEGATIVE_INFINITY);
    },
    remove,
    removeAll(maximum) {
      for (const watcher of [...watchers.keys()]) {
        if (maximum !== undefined) watcher.end(tooSlow(maximum));
        remove(watcher);
      }
    },
    tell(summary) {
      for (const watcher of watchers.keys()) watcher.deliver(summary);
    },
    tellDeleted(ids) {
      for (const watcher of watchers.keys()) watcher.deliverDeleted(ids);
    },
    tellFound(summary) {
      for (const [watcher, joinedAt] of watchers) if (summary.created > joinedAt) watcher.deliver(summary);
    },
  };
}

/** Messages that may wait for one watcher. */
export const maxWaiting = 10_000;

/** What a watcher is told that has more to catch up with. */
export function tooSlow(maximum: number = maxWaiting): MailError<"MAIL_WATCHER_TOO_SLOW"> {
  const message = `more than ${maximum} messages wait for this watcher: list what there is, then watch anew`;
  return new MailError("MAIL_WATCHER_TOO_SLOW", message, { maximum });
}

/** A change that waits for a watcher. */
export type QueuedChange =
  | { readonly kind: "stored"; readonly summary: MailSummary }
  | { readonly kind: "deleted"; readonly ids: readonly string[] };

/** One watcher's view of the feed. */
export interface Subscription {
  /** Hands over a message, unless this watcher had it. */
  deliver(summary: MailSummary): void;
  /** Hands over the ids of deleted messages. */
  deliverDeleted(ids: readonly string[]): void;
  /** Ends the iteration, with an error or without. */
  end(error?: unknown): void;
  /** What has come and what will come. Ends when the subscription does. */
  messages(): AsyncGenerator<MailSummary, void, undefined>;
  /** The same together with deletes. Use either this or {@link messages}. */
  changes(): AsyncGenerator<QueuedChange, void, undefined>;
}

export function subscription(): Subscription {
  let waiting: QueuedChange[] = [];
  let ended: { readonly error?: unknown } | undefined;
  let wake: () => void = () => {};
  const end = (error?: unknown) => {
    ended ??= error === undefined ? {} : { error };
    wake();
  };
  const push = (change: QueuedChange) => {
    if (ended !== undefined) return;
    waiting.push(change);
    if (waiting.length > maxWaiting) end(tooSlow());
    wake();
  };
  async function* changes(): AsyncGenerator<QueuedChange, void, undefined> {
    for (;;) {
      const batch = waiting;
      waiting = [];
      yield* batch;
      if (waiting.length > 0) continue;
      if (ended !== undefined) {
        if ("error" in ended) throw ended.error;
        return;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return {
    end,
    deliver: (summary) => push({ kind: "stored", summary }),
    deliverDeleted: (ids) => push({ kind: "deleted", ids }),
    changes,
    async *messages() {
      for await (const change of changes()) if (change.kind === "stored") yield change.summary;
    },
  };
}
