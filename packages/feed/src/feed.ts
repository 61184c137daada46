import type { CallOptions } from "@tablekeep/core";
import type { FeedEvent, ReadFeedOptions } from "./read/feed-event.ts";
import type { FeedStatus } from "./read/feed-status.ts";
import type { FeedVerification, VerifyProgress } from "./read/verify-feed.ts";

/** Options of making a feed anew. */
export interface RebuildOptions extends CallOptions {
  /** The number of slices. @default as before */
  readonly slices?: number;
}

/** Options of bringing events into a feed. */
export interface CatchUpOptions {
  /** Ends the call without an error. */
  readonly signal?: AbortSignal;
  /** Called after each page that was written, with the number of events that this call has brought into the feed. */
  readonly onProgress?: (progress: { readonly events: number }) => void;
}

/** Options of running a feed. */
export interface RunFeedOptions extends CatchUpOptions {
  readonly signal: AbortSignal;
}

/** Options of comparing a feed with its journal. */
export interface VerifyFeedOptions extends CallOptions {
  /** Called after each id, with the number of events that were compared, and how many the feed has. */
  readonly onProgress?: (progress: VerifyProgress) => void;
}

/** Events of a journal across ids, by position. */
export interface Feed<Event = unknown> {
  /**
   * Returns events, those of an id in order. A live read waits for new ones until the signal aborts.
   *
   * @example
   * for await (const { persistenceId, payload, position } of feed.read({ type: "account", live: true, signal })) console.log(position);
   */
  read(options?: ReadFeedOptions): AsyncIterable<FeedEvent<Event>>;
  /**
   * Creates the feed if there is none, and enables the stream of its table. The events of the journal come with the next run, which also creates
   * a feed that is missing.
   *
   * @example
   * await feed.create();
   */
  create(options?: CallOptions): Promise<void>;
  /**
   * Brings events into the feed until the signal aborts. Any number of processes may do so: the feed is the same.
   *
   * @example
   * const stop = new AbortController();
   * const running = feed.run({ signal: stop.signal });
   */
  run(options: RunFeedOptions): Promise<void>;
  /**
   * Brings everything into the feed that the stream shows at the time of the call: on the engine all that was committed before it, on AWS all but
   * the last moment.
   *
   * @example
   * await feed.catchUp();
   */
  catchUp(options?: CatchUpOptions): Promise<void>;
  /**
   * Returns how far the feed is.
   *
   * @example
   * const { lagMs } = await feed.status();
   */
  status(options?: CallOptions): Promise<FeedStatus>;
  /**
   * Compares the feed with the journal: every write must be in it exactly once.
   *
   * @example
   * const { findings } = await feed.verify();
   */
  verify(options?: VerifyFeedOptions): Promise<FeedVerification>;
  /**
   * Has the next run compare the journal with the feed and add what is missing. A run does so by itself where the stream has lost records.
   *
   * @example
   * await feed.requestSweep();
   */
  requestSweep(options?: CallOptions): Promise<void>;
  /**
   * Has the feed made anew, for example with another number of slices: whoever runs it begins a new generation with what the journal has. Positions of
   * the old one are `FEED_POSITION_OUTDATED`.
   *
   * @example
   * await feed.rebuild({ slices: 64 });
   */
  rebuild(options?: RebuildOptions): Promise<void>;
  /**
   * Removes the pages of generations before the current one, once that is complete, and returns how many. `run` does it in the background; this call
   * is for programs that use `catchUp` only. It can be interrupted, and continued by another call.
   *
   * @example
   * const pages = await feed.removeOld();
   */
  removeOld(options?: { readonly signal?: AbortSignal }): Promise<number>;
}
