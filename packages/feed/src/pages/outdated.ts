import { FeedError } from "../feed-error.ts";

/** Returns the error for a position of another generation. */
export function outdated(generation: number, current: number): FeedError<"FEED_POSITION_OUTDATED"> {
  return new FeedError(
    "FEED_POSITION_OUTDATED",
    `the position belongs to generation ${generation} of the feed, which is now at generation ${current} (read from the start, or from a time)`,
    { generation, current },
  );
}
