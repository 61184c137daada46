/** Limits concurrent work. Work beyond the limit waits in order. */
export interface Slots {
  /** Runs `work` once a slot is free. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Creates `count` slots. */
export function slots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  let served = 0;
  const leave = () => {
    const next = waiting[served];
    if (next === undefined) {
      free++;
      return;
    }
    served++;
    if (served === waiting.length) {
      waiting.length = 0;
      served = 0;
    } else if (served > 1024) {
      waiting.splice(0, served);
      served = 0;
    }
    next();
  };
  return {
    async run(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
