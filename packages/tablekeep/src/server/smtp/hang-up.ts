import type { Duplex } from "node:stream";
import type { Clock } from "@tablekeep/core";

/** How long a client may take to close its side. */
const patienceMs = 1_000;

/**
 * Closes our side, and resolves once the other one is closed too. A socket that is destroyed with unread bytes in it takes
 * back its last words, so what still comes is read and dropped.
 */
export function hangUp(
  stream: Duplex,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(patienceMs, done);
    if (stream.destroyed || signal.aborted) return done();
    signal.addEventListener("abort", done, { once: true });
    const closedByBoth = () => {
      if (stream.writableFinished && stream.readableEnded) done();
    };
    stream.once("close", done).once("end", closedByBoth).once("finish", closedByBoth);
    stream.end();
    stream.resume();
    closedByBoth();
  });
}
