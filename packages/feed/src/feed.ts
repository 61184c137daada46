import type { CallOptions } from "@tablekeep/core";
import type { FeedEvent, FeedPlace, ReadFeedOptions } from "./read/feed-event.ts";
import type { FeedStatus } from "./read/feed-status.ts";
import type { FeedVerification, VerifyProgress } from "./read/verify-feed.ts";
import type { UnreadableItems } from "./store/feed-record.ts";

/** Options of {@link Feed.rebuild}. */
export interface RebuildOptions extends CallOptions {
  /** The number of slices. @default as before */
  readonly slices?: number;
}

/** Options of {@link Feed.catchUp}. */
export interface CatchUpOptions {
  /** Ends the call without an error. */
  readonly signal?: AbortSignal;
  /** Called after each page that was written, with the number of events that this call has brought into the feed. */
  readonly onProgress?: (progress: { readonly events: number }) => void;
}

/** The result of {@link Feed.catchUp}. */
export interface CatchUpResult {
  /** Items of the journal that the last sweep could not read, as in {@link FeedStatus}; undefined if it could read all of them. */
  readonly unreadable?: UnreadableItems;
}

/** Options of {@link Feed.run}. */
export interface RunFeedOptions extends CatchUpOptions {
  readonly signal: AbortSignal;
}

/** Options of {@link Feed.verify}. */
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
   * Creates the feed if there is none, and enables the stream of its table. The next run, which also creates a missing feed, adds the events of
   * the journal.
   *
   * @example
   * await feed.create();
   */
  create(options?: CallOptions): Promise<void>;
  /**
   * Adds events to the feed until the signal aborts. Any number of processes may call it at the same time.
   *
   * @example
   * const stop = new AbortController();
   * const running = feed.run({ signal: stop.signal });
   */
  run(options: RunFeedOptions): Promise<void>;
  /**
   * Adds everything to the feed that the stream shows at the time of the call: on the engine everything committed before it, on AWS everything but
   * the latest commits. Returns which items of the journal a sweep could not read: the feed has everything else.
   *
   * @example
   * await feed.catchUp();
   */
  catchUp(options?: CatchUpOptions): Promise<CatchUpResult>;
  /**
   * Returns the position of the end, of a time or of the start, to read from later: `read` itself names a position only with an event. With `last`, that before
   * the last events of each slice, at most 1,000: the newest ones can be read without those before them.
   *
   * @example
   * const position = await feed.position("end");
   */
  position(of: FeedPlace, options?: CallOptions): Promise<string>;
  /**
   * Returns the state of the feed and its lag.
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
   * Requests that the next run compares the journal with the feed and adds what is missing. A run does so without a request if the stream has lost records.
   *
   * @example
   * await feed.requestSweep();
   */
  requestSweep(options?: CallOptions): Promise<void>;
  /**
   * Requests a rebuild, for example with another number of slices: the process that runs the feed begins a new generation from the journal. Positions
   * of the old generation throw `FEED_POSITION_OUTDATED`.
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
