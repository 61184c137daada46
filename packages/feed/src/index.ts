/**
 * feed: events across ids, by position.
 *
 * Here: reading a table's stream of changes, and the feed that is made of it.
 * Not here: the journal and its layouts; anything that depends on a particular backend.
 */

export type {
  CatchUpOptions,
  CatchUpResult,
  Feed,
  RebuildOptions,
  RunFeedOptions,
  VerifyFeedOptions,
} from "./feed.ts";
export {
  FeedError,
  type FeedErrorCode,
  type FeedErrorDetails,
  feedErrorKinds,
  isFeedError,
} from "./feed-error.ts";
export { type FeedOptions, feedOptionNames, readFeedOptionNames } from "./feed-options.ts";
export { openFeed } from "./open-feed.ts";
export { sliceOf, virtualSliceOf } from "./pages/slices.ts";
export type { FeedEvent, FeedPlace, ReadFeedOptions, UnreadableEvent } from "./read/feed-event.ts";
export type { FeedStatus } from "./read/feed-status.ts";
export type { FeedFinding, FeedVerification, VerifyProgress } from "./read/verify-feed.ts";
export type { UnreadableItems } from "./store/feed-record.ts";
export type {
  ChangeBatch,
  ChangeRecord,
  ChangeSource,
  ReadChangesOptions,
  ShardPosition,
} from "./stream/change-source.ts";
export { type EnsuredStream, type EnsureStreamOptions, ensureStream } from "./stream/ensure-stream.ts";
export { openStreamSource } from "./stream/open-stream-source.ts";
export { type StreamSourceOptions, streamSourceOptionNames } from "./stream/stream-options.ts";
