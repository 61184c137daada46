import { MailError } from "../model/mail-error.ts";
import type { QueuedChange } from "./feed-entry.ts";

/** The watchers of a feed. */
export interface Subscribers {
  readonly size: number;
  /** Adds a watcher. Until it has {@link joined}, messages created before `joinedAt` are not delivered to it. */
  add(watcher: Subscription, joinedAt?: number): void;
  /** From now on the watcher receives everything. */
  joined(watcher: Subscription): void;
  /** Ends a watcher. */
  remove(watcher: Subscription): void;
  /** Ends all watchers, with an error if `maximum` messages were exceeded. */
  removeAll(maximum?: number): void;
  /** The watchers that receive a new change. */
  all(): Subscription[];
  /** The watchers that receive an entry of this time that a poll found, which may be older. */
  expecting(created: number): Subscription[];
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
    all: () => [...watchers.keys()],
    expecting: (created) =>
      [...watchers].flatMap(([watcher, joinedAt]) => (created > joinedAt ? watcher : [])),
  };
}

/** The maximum number of messages that wait for one watcher. */
export const maxWaiting = 10_000;

/** The error for a watcher that is too far behind. */
export function tooSlow(maximum: number = maxWaiting): MailError<"MAIL_WATCHER_TOO_SLOW"> {
  const message = `more than ${maximum} messages are waiting for this watcher: list the messages, then watch again`;
  return new MailError("MAIL_WATCHER_TOO_SLOW", message, { maximum });
}

/** One watcher's view of the feed. */
export interface Subscription {
  /** Queues a change. */
  deliver(change: QueuedChange): void;
  /** Ends the iteration, with an error or without. */
  end(error?: unknown): void;
  /** Queued and future changes. Ends with the subscription. */
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
    deliver: push,
    changes,
  };
}
