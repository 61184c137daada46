import type { MailSummary } from "../mail.ts";
import { type Subscription, tooSlow } from "./subscription.ts";

/** Those who watch. */
export interface Audience {
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

export function audience(): Audience {
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
