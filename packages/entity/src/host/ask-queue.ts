import type { PendingAsk } from "./pending-ask.ts";

/** The commands that wait for an entity, in order. Taking the first costs the same however many wait. */
export interface AskQueue extends Iterable<PendingAsk> {
  readonly size: number;
  readonly first: PendingAsk | undefined;
  add(ask: PendingAsk): void;
  removeFirst(): void;
  /** Puts commands before all others, in their order. */
  putFirst(asks: readonly PendingAsk[]): void;
  /** Lets go of commands whose caller has gone. May leave some of a long queue for later. */
  dropAnswered(): void;
  /** Takes all of them. */
  removeAll(): PendingAsk[];
}

/** A queue up to this length is gone through at each turn. */
const shortQueue = 1000;

export function askQueue(): AskQueue {
  let asks: PendingAsk[] = [];
  // Those before it were taken: to move all others up for each would take the more time the more wait.
  let head = 0;
  /** Taken since the queue was last gone through. */
  let taken = 0;
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
      taken++;
      // Those that were taken are not kept in memory for long; of an idle entity, not at all.
      if (head === asks.length || (head > shortQueue && head * 2 > asks.length)) set(asks.slice(head));
    },
    putFirst(before) {
      // They were taken from here, as a rule, so that there is room.
      if (before.length > head) return set([...before, ...asks.slice(head)]);
      head -= before.length;
      for (const [at, ask] of before.entries()) asks[head + at] = ask;
    },
    dropAnswered() {
      const size = asks.length - head;
      if (size > shortQueue && taken * 8 < size) return;
      taken = 0;
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
