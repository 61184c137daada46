import { ShadowError } from "../model/shadow-error.ts";
import type { ChangeFilter, ShadowChange, WatchOptions } from "./shadow-manager.ts";

/** Distributes changes to listeners. Later listeners do not receive earlier changes. */
export interface ChangeFeed {
  /** Passes a change to all listeners. */
  publish(change: ShadowChange): void;
  /** Calls `listener` for each change that passes the filter. Returns a function that stops it. */
  listen(listener: (change: ShadowChange) => void, filter?: ChangeFilter): () => void;
  /** Yields each change from now on that passes the filter. */
  watch(filter?: ChangeFilter, options?: WatchOptions): AsyncIterableIterator<ShadowChange>;
}

/**
 * Creates a feed. An error of a listener is passed to `onFailure`, and the others still receive the change.
 *
 * @example
 * const feed = changeFeed((error) => logger.error("listener failed", { error }));
 * feed.listen((change) => console.log(change.version), { id: "lamp" });
 * manager.onChange((change) => feed.publish(change));
 * for await (const { version } of feed.watch({ id: "lamp" })) console.log(version);
 */
export function changeFeed(onFailure: (error: unknown) => void): ChangeFeed {
  const listeners = new Set<(change: ShadowChange) => void>();
  const feed: ChangeFeed = {
    publish(change) {
      for (const listener of listeners) {
        try {
          listener(change);
        } catch (error) {
          onFailure(error);
        }
      }
    },
    listen(listener, filter = {}) {
      const filtered = (change: ShadowChange) => {
        if (matches(change, filter)) listener(change);
      };
      listeners.add(filtered);
      return () => {
        listeners.delete(filtered);
      };
    },
    watch: (filter = {}, options = {}) => watchFeed(feed, filter, options),
  };
  return feed;
}

function matches({ id, name }: ShadowChange, filter: ChangeFilter): boolean {
  return (filter.id === undefined || filter.id === id) && (filter.name === undefined || filter.name === name);
}

/** Listens from the call on, not from the first `next`, so that nothing in between is missed. */
function watchFeed(
  feed: ChangeFeed,
  filter: ChangeFilter,
  { signal, maxWaiting = 1_000 }: WatchOptions,
): AsyncIterableIterator<ShadowChange> {
  const waiting: ShadowChange[] = [];
  let failure: ShadowError | undefined;
  let ended = signal?.aborted ?? false;
  let wake: (() => void) | undefined;
  const end = () => {
    ended = true;
    stop();
    signal?.removeEventListener("abort", end);
    wake?.();
  };
  const stop = feed.listen((change) => {
    if (waiting.length < maxWaiting) waiting.push(madeNow(change));
    else {
      failure = overflow(waiting.length);
      end();
    }
    wake?.();
  }, filter);
  if (ended) stop();
  else signal?.addEventListener("abort", end, { once: true });
  return {
    async next() {
      for (;;) {
        const change = waiting.shift();
        if (change !== undefined) return { done: false, value: change };
        if (failure !== undefined) throw failure;
        if (ended) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      waiting.length = 0;
      failure = undefined;
      end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Returns a change with everything computed that would be computed on demand, so that it no longer references its items. */
function madeNow(change: ShadowChange): ShadowChange {
  return change.kind === "updated" ? { ...change, update: { ...change.update } } : change;
}

function overflow(waiting: number): ShadowError {
  return new ShadowError(
    "SHADOW_FEED_OVERFLOW",
    `${waiting} changes are waiting for this watcher: read the shadow, then watch again`,
    { waiting },
  );
}
