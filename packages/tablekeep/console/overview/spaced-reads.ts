/** The maximum share of the time that is spent reading. */
const busyPart = 0.02;

/** A value is read again after this time at the latest. */
const longestMs = 30_000;

/**
 * Returns a function that reads a value, or returns the last one if reading it again so soon would take the server too much time. Values that are read in a
 * few milliseconds are read each time.
 */
export function spacedReads<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  now: () => number = () => performance.now(),
): (signal: AbortSignal) => Promise<Value> {
  let last: { readonly value: Value; readonly until: number } | undefined;
  return async (signal) => {
    const began = now();
    if (last !== undefined && began < last.until) return last.value;
    const value = await read(signal);
    const ended = now();
    last = { value, until: ended + Math.min(longestMs, (ended - began) / busyPart) };
    return value;
  };
}
