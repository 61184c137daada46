/** How many requests of one batch are under way at once. */
const parallelism = 8;

/**
 * Runs `work` for every number from 0 to `count` - 1, in order, a few at once. Starts no more once one says false or
 * throws; waits for those under way before it throws.
 */
export async function inParallel(count: number, work: (at: number) => Promise<boolean>): Promise<void> {
  let next = 0;
  let stopped = false;
  const worker = async () => {
    while (next < count && !stopped) {
      try {
        if (!(await work(next++))) stopped = true;
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(parallelism, count) }, worker));
  for (const result of workers) if (result.status === "rejected") throw result.reason;
}
