/**
 * testing: what every feed and every projection must do, as rules for histories of observations.
 */

export { checkFeedHistory } from "./check-feed-history.ts";
export type {
  FeedHistory,
  FeedReaderHistory,
  FeedReading,
  FeedViolation,
  ProjectedState,
  SeenFeedEvent,
} from "./feed-history.ts";
