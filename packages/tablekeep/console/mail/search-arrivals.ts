/** Repeats a search while mail arrives. */
export interface SearchArrivals {
  /** To be called for every message that arrives. */
  arrived(): void;
  close(): void;
}

/** Milliseconds from the first arrival to the search that finds it, and all later ones. */
const firstWaitMs = 500;
/** A search may rest for so many times as long as it took. */
const restFactor = 4;
const longestWaitMs = 30_000;

/**
 * Calls `look` for any number of arrivals, never twice at a time, and with pauses that grow with the time it takes: a
 * stream of mail does not become a stream of searches.
 */
export function searchArrivals(look: () => Promise<void>): SearchArrivals {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLooking = false;
  let isClosed = false;
  let hasMore = false;
  let waitMs = firstWaitMs;
  const run = async () => {
    timer = undefined;
    isLooking = true;
    hasMore = false;
    const began = performance.now();
    // A failed search is repeated with the next arrival; the top bar shows if the server is unreachable.
    await look().catch(() => {});
    waitMs = Math.min(Math.max(firstWaitMs, (performance.now() - began) * restFactor), longestWaitMs);
    isLooking = false;
    if (hasMore) schedule();
  };
  const schedule = () => {
    hasMore = true;
    if (!isLooking && !isClosed) timer ??= setTimeout(() => void run(), waitMs);
  };
  return {
    arrived: schedule,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
