/**
 * Resolves in the next turn of the event loop, so that others run between two pieces of work; at once when `signal` is
 * aborted. Does not keep the process alive.
 */
export function nextTurn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearImmediate(immediate);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const immediate = setImmediate(done);
    immediate.unref();
    signal.addEventListener("abort", done);
  });
}
