/** Repeats a search while mail arrives. */
export interface SearchArrivals {
  /** Call it for every message that arrives. */
  arrived(): void;
  close(): void;
}

/** Milliseconds from the first arrival to the search that finds it, and all later ones. */
const firstWaitMs = 500;
/** The pause after a search, as a multiple of its duration. */
const restFactor = 4;
const maxWaitMs = 30_000;

/**
 * Calls `search` after arrivals, never concurrently, and with pauses that grow with its duration: a
 * stream of mail does not become a stream of searches.
 */
export function searchArrivals(search: () => Promise<void>): SearchArrivals {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isSearching = false;
  let isClosed = false;
  let hasMore = false;
  let waitMs = firstWaitMs;
  const run = async () => {
    timer = undefined;
    isSearching = true;
    hasMore = false;
    const began = performance.now();
    // A failed search is repeated with the next arrival; the top bar shows if the server is unreachable.
    await search().catch(() => {});
    waitMs = Math.min(Math.max(firstWaitMs, (performance.now() - began) * restFactor), maxWaitMs);
    isSearching = false;
    if (hasMore) schedule();
  };
  const schedule = () => {
    hasMore = true;
    if (!isSearching && !isClosed) timer ??= setTimeout(() => void run(), waitMs);
  };
  return {
    arrived: schedule,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
