/** Work that continues after the call that started it. */
export interface Background {
  /** Adds work that never rejects. */
  add(work: Promise<unknown>): void;
  /** Resolves once all work has ended. */
  settle(): Promise<void>;
}

export function background(): Background {
  const running = new Set<Promise<unknown>>();
  return {
    add(work) {
      const tracked = work.finally(() => running.delete(tracked));
      running.add(tracked);
    },
    async settle() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Bytes or characters that are processed before other work gets a turn of the event loop. */
const amountPerTurn = 1_048_576;

/** Splits long work into turns of the event loop: await the result, if there is one, after each piece of work. */
export function pacer(): (amount: number) => Promise<void> | undefined {
  let spent = 0;
  return (amount) => {
    spent += amount;
    if (spent < amountPerTurn) return undefined;
    spent = 0;
    return nextTurn();
  };
}
