import {
  type CallOptions,
  type Clock,
  checkPort,
  type DynamoPort,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { type JournalChanges, openJournalChanges } from "@tablekeep/journal/changes";
import type {
  CatchUpOptions,
  CatchUpResult,
  Feed,
  RebuildOptions,
  RunFeedOptions,
  VerifyFeedOptions,
} from "./feed.ts";
import { FeedError, optionInvalid, positionOutdated } from "./feed-error.ts";
import {
  checkFeedCall,
  checkFeedOptions,
  checkFeedPlace,
  checkReadOptions,
  type FeedOptions,
} from "./feed-options.ts";
import { withoutImages } from "./pages/without-images.ts";
import type { FeedEvent, FeedPlace, ReadFeedOptions } from "./read/feed-event.ts";
import { encodePosition } from "./read/feed-position.ts";
import { feedStatus } from "./read/feed-status.ts";
import { PageNotice } from "./read/page-notice.ts";
import { readFeed } from "./read/read-feed.ts";
import { startCursors } from "./read/start-cursors.ts";
import { verifyFeed } from "./read/verify-feed.ts";
import { whileFeedLeased } from "./sequencer/feed-lease.ts";
import { removeGenerations } from "./sequencer/remove-generations.ts";
import {
  beginGeneration,
  currentRecord,
  isOutdated,
  requestSweep,
  runSequencer,
} from "./sequencer/run-sequencer.ts";
import { requestSignal, sleepUntilWoken } from "./signals.ts";
import type { FeedRecord } from "./store/feed-record.ts";
import { FeedStore } from "./store/feed-store.ts";
import type { ChangeSource } from "./stream/change-source.ts";
import { commitSource } from "./stream/commit-source.ts";
import { ensureStream } from "./stream/ensure-stream.ts";
import { openStreamSource } from "./stream/open-stream-source.ts";

/**
 * Opens a feed of a journal. Writes nothing: the feed is created by `create`, or by its first run.
 *
 * @example
 * const feed = await openFeed(port, { journal: { table: "events" } });
 * await feed.catchUp();
 * for await (const { persistenceId, sequenceNr } of feed.read()) console.log(persistenceId, sequenceNr);
 */
export async function openFeed<Event = unknown>(
  port: DynamoPort,
  options: FeedOptions = {},
): Promise<Feed<Event>> {
  // The journal's events have the type that the caller names.
  return (await openFeedParts(port, options)) as Feed as Feed<Event>;
}

/** Opens a feed together with the parts that projections need. */
export async function openFeedParts(port: DynamoPort, options: FeedOptions): Promise<OpenFeed> {
  checkPort(port, optionInvalid);
  checkFeedOptions(options);
  const { clock = systemClock, random = systemRandom, logger = silentLogger, journal } = options;
  const changes = await openJournalChanges(port, { clock, random, logger, ...journal });
  return new OpenFeed(port, changes, options, clock, random);
}

/** The windows of streams that are in order: those of the embedded engine and of DynamoDB Local. */
const orderedWindowMs = 1000;
const defaultWindowMs = 60_000;
const defaultSlices = 16;

/** How such streams are read: they have no limits, and an empty page is the end. */
const localPace = {
  pollMs: 20,
  maxPollMs: 500,
  readsPerSecond: Number.POSITIVE_INFINITY,
  lingerMs: 50,
  emptyReadsAtEnd: 1,
};

interface SequenceOptions {
  readonly until?: number;
  readonly onRecord?: (record: FeedRecord) => void;
  readonly onFed: (events: number) => void;
}

/** How long the sequencer of a stream in this process waits for further events while no reader of this process waits for them. */
const unawaitedLingerMs = 250;

/** A feed, with its items and its journal. */
export class OpenFeed implements Feed {
  readonly #port: DynamoPort;
  readonly changes: JournalChanges;
  readonly #options: FeedOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly name: string;
  readonly store: FeedStore;
  /** Wakes live readers of this process when it has written pages. */
  readonly notice: PageNotice;
  /** The stream whose view type was reported. */
  #warnedOf: string | undefined;

  constructor(port: DynamoPort, changes: JournalChanges, options: FeedOptions, clock: Clock, random: Random) {
    this.#port = port;
    this.changes = changes;
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.notice = new PageNotice(clock);
    this.name = options.name ?? "all";
    const { deadlineMs = 10_000 } = options;
    this.store = new FeedStore({ port, changes, name: this.name, clock, random, deadlineMs });
  }

  read(options: ReadFeedOptions = {}): AsyncIterable<FeedEvent> {
    checkReadOptions(options);
    return { [Symbol.asyncIterator]: () => this.#read(options) };
  }

  async *#read(options: ReadFeedOptions): AsyncGenerator<FeedEvent, void, undefined> {
    const { deadlineMs } = options;
    const signal = options.signal && requestSignal(options.signal);
    try {
      const record = await this.record({ signal, deadlineMs });
      const waitForPages = (idleRounds: number) => this.#waitForPages(idleRounds, signal);
      const checkGeneration = (consistent: boolean) =>
        this.#checkGeneration(record, consistent, { signal, deadlineMs });
      const context = { store: this.store, changes: this.changes, record, waitForPages, checkGeneration };
      for await (const events of readFeed(context, { ...options, signal }))
        for (const event of events) {
          if (signal?.aborted) return;
          yield event;
        }
    } catch (error) {
      // A request in flight fails when the signal aborts.
      if (signal?.aborted !== true) throw error;
    }
  }

  async create(options: CallOptions = {}): Promise<void> {
    checkFeedCall("call", options);
    const { slices = defaultSlices } = this.#options;
    const { deadlineMs } = options;
    const signal = requestSignal(options.signal ?? new AbortController().signal);
    const source = await this.#openSource(signal, deadlineMs === undefined ? {} : { deadlineMs });
    await currentRecord({ store: this.store, slices }, source, { signal, deadlineMs });
  }

  async run(options: RunFeedOptions): Promise<void> {
    checkFeedCall("run", options);
    const { signal, onProgress } = options;
    const { leaseMs = 15_000, logger = silentLogger } = this.#options;
    let current: FeedRecord | undefined;
    const context = {
      store: this.store,
      clock: this.#clock,
      logger,
      leaseMs,
      isOutdated: (stored: FeedRecord | undefined) => current !== undefined && isOutdated(current, stored),
    };
    const onRecord = (record: FeedRecord) => {
      current = record;
    };
    const onFed = countTo(onProgress);
    return whileFeedLeased(context, signal, (held) => this.#sequence(held, { onRecord, onFed }));
  }

  async catchUp(options: CatchUpOptions = {}): Promise<CatchUpResult> {
    checkFeedCall("catchUp", options);
    const { signal = new AbortController().signal, onProgress } = options;
    let current: FeedRecord | undefined;
    const onRecord = (record: FeedRecord) => {
      current = record;
    };
    await this.#sequence(signal, { until: this.#clock.now(), onRecord, onFed: countTo(onProgress) });
    return current?.unreadable === undefined ? {} : { unreadable: current.unreadable };
  }

  async #sequence(
    signal: AbortSignal,
    { until, onRecord = () => {}, onFed }: SequenceOptions,
  ): Promise<void> {
    const { slices = defaultSlices, checkpointMs = 2000, logger = silentLogger } = this.#options;
    const context = {
      store: this.store,
      changes: this.changes,
      now: () => this.#clock.now(),
      windowFor: (arn: string) =>
        this.#options.windowMs ?? (isOrdered(arn) ? orderedWindowMs : defaultWindowMs),
      clock: this.#clock,
      random: this.#random,
      logger,
      slices,
      checkpointMs,
      eventsAtOnce: this.#eventsAtOnce,
      // Changes after a time that has passed are not waited for.
      openSource: (each: AbortSignal) => this.#openSource(each, until === undefined ? {} : { lingerMs: 0 }),
      onRecord,
      onFed,
      onPages: () => this.notice.notify(),
    };
    await runSequencer(context, { signal, ...(until !== undefined && { until }) });
  }

  get #eventsAtOnce(): number {
    return this.#options.eventsAtOnce ?? 500_000;
  }

  async #openSource(
    signal: AbortSignal,
    { deadlineMs, ...how }: { readonly deadlineMs?: number; readonly lingerMs?: number },
  ): Promise<ChangeSource> {
    if (this.#options.source !== undefined) return this.#options.source;
    const { table: tableName, layout, isShared } = this.changes;
    const clock = this.#clock;
    // The keys alone do not identify what Tablekeep writes: staged items, and an id that begins again.
    const needs = layout === "bucketed" && isShared ? "keys" : "image";
    // An Akka plugin may overwrite a row of another writer: only the old image shows that it did.
    const view = isShared ? "NEW_AND_OLD_IMAGES" : "NEW_IMAGE";
    const { arn, viewType } = await ensureStream(this.#port, tableName, view, {
      signal,
      clock,
      needs,
      ...(deadlineMs !== undefined && { deadlineMs }),
    });
    const { logger = silentLogger, lingerMs } = this.#options;
    if (isShared && viewType !== "NEW_AND_OLD_IMAGES" && this.#warnedOf !== arn) {
      const message =
        "the stream has no old images: events that an Akka plugin puts in the place of others are missing until a sweep (disable the stream and enable one with NEW_AND_OLD_IMAGES)";
      logger.warn(message, { table: tableName, viewType });
      this.#warnedOf = arn;
    }
    const pace = { ...(isOrdered(arn) && localPace), ...(lingerMs !== undefined && { lingerMs }), ...how };
    const stream = await openStreamSource(this.#port, { tableName, needs, clock, logger, ...pace });
    const { watchStream } = this.#port;
    if (watchStream === undefined || stream.view === "keys" || how.lingerMs === 0) return stream;
    // Without a reader that waits, events share more pages.
    const linger = () => lingerMs ?? (this.notice.isAwaited ? localPace.lingerMs : unawaitedLingerMs);
    return commitSource(stream, { watch: watchStream, clock, linger, streamMs: 60_000 });
  }

  async position(of: FeedPlace, options: CallOptions = {}): Promise<string> {
    checkFeedPlace(of);
    checkFeedCall("call", options);
    const call = { ...options, signal: options.signal && requestSignal(options.signal) };
    const record = await this.record(call);
    const cursors = await startCursors({ store: this.store, record }, { from: of }, call);
    return encodePosition(record.generation, cursors);
  }

  async status(options: CallOptions = {}): ReturnType<Feed["status"]> {
    checkFeedCall("call", options);
    const call = { ...options, signal: options.signal && requestSignal(options.signal) };
    return feedStatus(this.store, this.name, await this.record(call), this.#clock, call);
  }

  async verify(given: VerifyFeedOptions = {}): ReturnType<Feed["verify"]> {
    checkFeedCall("verify", given);
    const { onProgress = () => {}, ...options } = given;
    const call = { ...options, signal: options.signal && requestSignal(options.signal) };
    const record = await this.record(call);
    const changes = record.keysOnly === true ? withoutImages(this.changes) : this.changes;
    const eventsAtOnce = this.#eventsAtOnce;
    const context = { store: this.store, changes, record, eventsAtOnce, onProgress };
    const verification = await verifyFeed(context, call);
    await this.#checkGeneration(record, true, call);
    return verification;
  }

  async requestSweep(call: CallOptions = {}): Promise<void> {
    checkFeedCall("call", call);
    const { arn } = await this.record(call);
    await requestSweep({ store: this.store }, arn, call.signal);
  }

  async rebuild(options: RebuildOptions = {}): Promise<void> {
    checkFeedCall("rebuild", options);
    const { slices, ...call } = options;
    const record = await this.record(call);
    await beginGeneration({ store: this.store }, slices ?? record.slices, call);
  }

  async removeOld(options: { readonly signal?: AbortSignal } = {}): Promise<number> {
    checkFeedCall("removeOld", options);
    const { signal } = options;
    const call = { signal: signal && requestSignal(signal) };
    return removeGenerations({ store: this.store }, await this.record(call), call);
  }

  /** Returns the feed's record. Throws `FEED_UNKNOWN` if there is none. */
  async record(call: CallOptions): Promise<FeedRecord> {
    const record = await this.store.readRecord(call);
    if (record !== undefined) return record;
    throw this.#unknown();
  }

  #unknown(): FeedError<"FEED_UNKNOWN"> {
    const { table } = this.changes;
    const message = `table ${table} has no feed ${this.name}: create it with feed.create, or run it with feed.run or "tablekeep feed run"`;
    return new FeedError("FEED_UNKNOWN", message, { table, feed: this.name });
  }

  /**
   * Throws `FEED_POSITION_OUTDATED` once the feed has another generation: the generation being read gets no further events. The table may also have been
   * replaced by one without the feed, or with an earlier generation. Returns the number of slices.
   */
  async #checkGeneration(
    { generation, slices }: FeedRecord,
    consistent: boolean,
    call: CallOptions,
  ): Promise<number> {
    let stored = await this.store.readRecord(call, consistent);
    const isSame = stored?.generation === generation && stored.slices === slices;
    // The read may be stale.
    if (!isSame && !consistent) stored = await this.store.readRecord(call);
    if (stored === undefined) throw this.#unknown();
    if (stored.generation !== generation) throw positionOutdated(generation, stored.generation);
    return stored.slices;
  }

  /** Waits until this process has written pages, or until it is time to poll. False once the signal aborts. */
  async #waitForPages(idleRounds: number, signal: AbortSignal | undefined): Promise<boolean> {
    const { pollMs = 2000 } = this.#options;
    const ms = Math.min(pollMs, 50 * 2 ** Math.min(idleRounds, 10));
    await sleepUntilWoken(this.#clock, ms, signal, this.notice.listen);
    return signal?.aborted !== true;
  }
}

/** Returns a function that adds up numbers of events, and reports the sum. */
function countTo(onProgress: CatchUpOptions["onProgress"]): (events: number) => void {
  let sum = 0;
  return (events) => {
    sum += events;
    onProgress?.({ events: sum });
  };
}

/** Whether a stream belongs to the embedded engine or to DynamoDB Local: their account is all zeros. */
function isOrdered(arn: string): boolean {
  return arn.split(":")[4] === "000000000000";
}
