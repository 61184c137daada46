import { linkSignals } from "@tablekeep/core";
import type { Feed, FeedEvent, ReadFeedOptions, UnreadableEvent } from "@tablekeep/feed";

/** An event of a feed, or one that cannot be read, in its place. */
export type FeedRow = FeedEvent | UnreadableEvent;

/** Whether an event cannot be read. */
export function isUnreadable(row: FeedRow): row is UnreadableEvent {
  return "error" in row;
}

/** An event that cannot be read, and the function that lets the reading go on. */
interface Reported {
  readonly event: UnreadableEvent;
  readonly pass: () => void;
}

/**
 * Reads a feed without ending at events that cannot be read: returns them in their places. The reading waits until they have been
 * handled, as it does with other events.
 */
export async function* feedRows(
  feed: Pick<Feed, "read">,
  options: Omit<ReadFeedOptions, "onUnreadable">,
): AsyncGenerator<FeedRow, void, undefined> {
  const ended = linkSignals(options.signal);
  let reported: Reported | undefined;
  let wake = () => {};
  const onUnreadable = (event: UnreadableEvent) =>
    new Promise<void>((pass) => {
      // Nobody waits for the rest of a reading that is being closed.
      if (ended.signal.aborted) return pass();
      reported = { event, pass };
      wake();
    });
  const events = feed.read({ ...options, signal: ended.signal, onUnreadable })[Symbol.asyncIterator]();
  let next = events.next();
  try {
    for (;;) {
      const report = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined);
      });
      const found = reported === undefined ? await Promise.race([next, report]) : undefined;
      if (found === undefined) {
        const { event, pass } = reported as unknown as Reported;
        yield event;
        reported = undefined;
        pass();
      } else if (found.done === true) return;
      else {
        yield found.value;
        next = events.next();
      }
    }
  } finally {
    // A reading that waits, for new events or for its caller, must end before it can be closed.
    ended.abort();
    (reported as Reported | undefined)?.pass();
    await next.catch(() => {});
    await events.return?.();
  }
}
