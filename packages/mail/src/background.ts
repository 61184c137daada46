/** Work that goes on after the call that began it. */
export interface Background {
  /** Takes work that never rejects. */
  add(work: Promise<unknown>): void;
  /** Resolves once all work has ended. */
  settle(): Promise<void>;
}

export function background(): Background {
  const underWay = new Set<Promise<unknown>>();
  return {
    add(work) {
      const tracked = work.finally(() => underWay.delete(tracked));
      underWay.add(tracked);
    },
    async settle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
