import type { PendingAsk } from "./pending-ask.ts";

/** The waiting commands of an entity, in order. Removing the first takes constant time. */
export interface AskQueue extends Iterable<PendingAsk> {
  readonly size: number;
  readonly first: PendingAsk | undefined;
  add(ask: PendingAsk): void;
  removeFirst(): void;
  /** Puts commands before all others, in order. */
  putFirst(asks: readonly PendingAsk[]): void;
  /** Removes commands that are already answered. May leave some of a long queue for later. */
  dropAnswered(): void;
  /** Removes and returns all commands. */
  removeAll(): PendingAsk[];
}

/** Queues up to this length are filtered at each turn. */
const shortQueue = 1000;

export function askQueue(): AskQueue {
  let asks: PendingAsk[] = [];
  // Index of the first command. Shifting the array would cost O(n) per command.
  let head = 0;
  /** Commands removed since the queue was last filtered. */
  let removed = 0;
  const set = (left: PendingAsk[]) => {
    asks = left;
    head = 0;
  };
  return {
    get size() {
      return asks.length - head;
    },
    get first() {
      return asks[head];
    },
    add(ask) {
      asks.push(ask);
    },
    removeFirst() {
      if (head === asks.length) return;
      head++;
      removed++;
      // Releases removed commands before they use much memory; at once when the queue is empty.
      if (head === asks.length || (head > shortQueue && head * 2 > asks.length)) set(asks.slice(head));
    },
    putFirst(before) {
      // They usually came from the front of this array, so their slots are free.
      if (before.length > head) return set([...before, ...asks.slice(head)]);
      head -= before.length;
      for (const [at, ask] of before.entries()) asks[head + at] = ask;
    },
    dropAnswered() {
      const size = asks.length - head;
      if (size > shortQueue && removed * 8 < size) return;
      removed = 0;
      set(asks.slice(head).filter(({ answered }) => !answered));
    },
    removeAll() {
      const all = asks.slice(head);
      set([]);
      return all;
    },
    *[Symbol.iterator]() {
      for (let at = head; at < asks.length; at++) yield asks[at] as PendingAsk;
    },
  };
}
