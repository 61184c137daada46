import { backoffMs } from "@tablekeep/client";
import {
  type CallOptions,
  type Clock,
  isTablekeepError,
  type Logger,
  linkSignals,
  type Random,
  sleep,
} from "@tablekeep/core";
import { isFeedError } from "../feed-error.ts";
import { isInRange, rangesOf } from "../pages/slices.ts";
import { withoutImages } from "../pages/without-images.ts";
import { requestSignal } from "../signals.ts";
import type { Checkpoint, FeedRecord } from "../store/feed-record.ts";
import type { ChangeBatch, ChangeSource } from "../stream/change-source.ts";
import { checkViewType } from "../stream/ensure-stream.ts";
import { isKept } from "../stream/shard-reader.ts";
import { trimmedError } from "../stream/stream-errors.ts";
import { streamRetentionMs } from "../stream/stream-options.ts";
import { removeInBackground } from "./remove-generations.ts";
import { Sequencer, type SequencerContext } from "./sequencer.ts";

/** Dependencies of a running sequencer. */
export interface RunContext extends Omit<SequencerContext, "windowMs"> {
  /** Returns how late a stream may show a change without the order within an id suffering, in milliseconds. */
  readonly windowFor: (arn: string) => number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly slices: number;
  readonly checkpointMs: number;
  /** The number of events that a sweep compares at once. */
  readonly eventsAtOnce: number;
  /** Opens the stream of the journal's table. */
  readonly openSource: (signal: AbortSignal) => Promise<ChangeSource>;
  /** Called with the feed's record whenever work begins. */
  readonly onRecord: (record: FeedRecord) => void;
  /** Called whenever pages may have been written. */
  readonly onPages: () => void;
}

/** Options of a run. */
export interface RunOptions {
  readonly signal: AbortSignal;
  /** Ends the run once every change up to this time is in the feed, in milliseconds. @default runs until the signal aborts */
  readonly until?: number;
}

/** Runs a sequencer until the signal aborts. After a failure it starts again, and rebuilds its state from the table. */
export async function runSequencer(context: RunContext, options: RunOptions): Promise<void> {
  const { clock, random, logger } = context;
  for (let failures = 0; !options.signal.aborted; ) {
    try {
      const hasProgressed = () => {
        failures = 0;
      };
      const signal = requestSignal(options.signal);
      if (await runOnce(context, { ...options, signal }, hasProgressed)) return;
    } catch (error) {
      if (options.signal.aborted) return;
      if (!maySucceedLater(error)) throw error;
      logger.warn("the sequencer of a feed failed; restarting", { error });
      await sleep(clock, backoffMs(Math.min(failures++, 6), random), options.signal).catch(() => {});
    }
  }
}

const passing = [
  "FEED_STREAM_TRIMMED",
  "FEED_STREAM_CHANGED",
  "FEED_STREAM_RESTORED",
  "FEED_POSITION_OUTDATED",
] as const;

function maySucceedLater(error: unknown): boolean {
  if (passing.some((code) => isFeedError(error, code))) return true;
  return isTablekeepError(error) && (error.retryable || error.ambiguous || error.kind === "unavailable");
}

/** Returns true if everything up to `until` is in the feed. */
async function runOnce(
  context: RunContext,
  { signal, until }: RunOptions,
  hasProgressed: () => void,
): Promise<boolean> {
  const source = await context.openSource(signal);
  const call = { signal };
  const record = await currentRecord(context, source, call);
  context.onRecord(record);
  const windowMs = context.windowFor(source.arn);
  const changes = record.keysOnly === true ? withoutImages(context.changes) : context.changes;
  const sequencer = await Sequencer.start({ ...context, changes, windowMs }, record, call);
  if (record.state === "sweeping") {
    await sweep(context, sequencer, signal);
    // Starts again from what is stored now.
    hasProgressed();
    return false;
  }
  hasProgressed();
  const { checkpoint } = sequencer;
  const progress = new CheckpointTimer(context);
  const ended = linkSignals(signal);
  const removing = until === undefined ? removeInBackground(context, record, ended.signal) : undefined;
  try {
    checkAge(checkpoint, context.clock.now());
    const { writesOf } = changes;
    const reading = source.read(checkpoint.shards, { signal, seenUntil: checkpoint.times, writesOf });
    for await (const batch of recalled(sequencer, reading, context.clock, call)) {
      if (await sequencer.take(batch, call)) context.onPages();
      const isDone = until !== undefined && sequencer.fedUntil >= until;
      if (isDone || progress.isDue()) await sequencer.raiseCheckpoint(call);
      if (isDone) return true;
      hasProgressed();
    }
  } catch (error) {
    if (isFeedError(error, "FEED_STREAM_TRIMMED")) await requestSweep(context, source.arn, signal);
    throw error;
  } finally {
    ended.abort();
    await removing;
  }
  return false;
}

/**
 * Throws `FEED_STREAM_TRIMMED` if the checkpoint is older than the records that a stream keeps: since then, shards may have been created
 * and removed that it does not name.
 */
function checkAge({ arn, seenUntil }: Checkpoint, now: number): void {
  if (seenUntil > 0 && !isKept(seenUntil, now, streamRetentionMs)) throw trimmedError(arn, "", undefined);
}

/**
 * Returns the feed's record, and creates it if there is none. If the table has another stream than the one that the feed was made from, changes
 * may be missing, and the journal is swept.
 */
export async function currentRecord(
  { store, slices }: Pick<RunContext, "store" | "slices">,
  { arn, view = "image" }: ChangeSource,
  call: CallOptions,
): Promise<FeedRecord> {
  const keysOnly = view === "keys";
  const fresh: FeedRecord = { generation: 1, slices, arn, state: "sweeping", sweptAt: 0, keysOnly };
  let record = (await store.readRecord(call)) ?? (await store.createRecord(fresh, call));
  while (record.keysOnly === undefined && record.sweptAt === 0)
    record = await store.changeRecord(record, { ...record, keysOnly }, call);
  // It would not recognize a write without a mark as the one with a mark.
  if (keysOnly && record.keysOnly !== true) checkViewType(arn, "KEYS_ONLY", "image");
  while (record.arn !== arn)
    record = await store.changeRecord(record, { ...record, arn, state: "sweeping" }, call);
  return record;
}

/**
 * Whether a sequencer that began with a record must start again. `stored` may be older than that record, because reads are eventually consistent. No record, or
 * one of another stream, means that the table was replaced.
 */
export function isOutdated(record: FeedRecord, stored: FeedRecord | undefined): boolean {
  if (stored === undefined || stored.arn !== record.arn) return true;
  if (stored.generation !== record.generation) return stored.generation > record.generation;
  return record.state === "live" && stored.state === "sweeping" && stored.sweptAt >= record.sweptAt;
}

/** Begins a generation: the feed is rebuilt from the journal, perhaps with another number of slices. Returns the new record. */
export async function beginGeneration(
  { store }: Pick<RunContext, "store">,
  slices: number,
  call: CallOptions,
): Promise<FeedRecord | undefined> {
  for (;;) {
    const record = await store.readRecord(call);
    if (record === undefined) return undefined;
    const generation = record.generation + 1;
    const { arn } = record;
    const old = [...(record.old ?? []), { generation: record.generation, slices: record.slices }];
    const next: FeedRecord = { generation, slices, arn, state: "sweeping", sweptAt: 0, old };
    const stored = await store.changeRecord(record, next, call);
    // Another process may have begun the same generation.
    if (stored.generation >= generation && stored.slices === slices) return stored;
  }
}

/** Requests a sweep, which compares the journal with the feed, because the stream has lost records. */
export async function requestSweep(
  { store }: Pick<RunContext, "store">,
  arn: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const record = await store.readRecord({ signal });
  if (record === undefined || record.arn !== arn || record.state === "sweeping") return;
  await store.changeRecord(record, { ...record, state: "sweeping" }, { signal });
}

/** Compares the journal with the feed, range by range, and adds what is missing. The ids are listed once for each range. */
async function sweep(context: RunContext, sequencer: Sequencer, signal: AbortSignal): Promise<void> {
  const { store, changes, onPages } = context;
  const sizes = await store.sizes(sequencer.record, { signal });
  const events = sizes.map((size) => size.events);
  for (const range of rangesOf(events, context.eventsAtOnce)) {
    await sequencer.beginRange(range, { signal });
    for await (const { persistenceId } of changes.persistenceIds({ signal })) {
      signal.throwIfAborted();
      if (!isInRange(persistenceId, range)) continue;
      if (!(await sequencer.sweepId(persistenceId, { signal }))) return;
      onPages();
    }
  }
  await sequencer.endSweep({ signal });
  const { state, unreadable } = sequencer.record;
  if (state !== "live" || unreadable === undefined) return;
  const message =
    'items of the journal could not be read: the feed has everything else (repair what "tablekeep journal verify" finds, then sweep again: "tablekeep feed run --once --sweep", or feed.requestSweep)';
  context.logger.warn(message, { ...unreadable });
}

/** Maximum number of records that wait until it is known which of them a sweep has added. */
const maxRecalled = 20_000;
/** The maximum time that they wait, in milliseconds. */
const maxRecallWaitMs = 1000;

/**
 * Passes batches on. While the stream may show writes that a sweep has added, batches wait until all pages were searched for their writes. Many batches
 * share one search, so that searching takes a small part of the time.
 */
async function* recalled(
  sequencer: Sequencer,
  reading: AsyncIterable<ChangeBatch>,
  clock: Clock,
  call: CallOptions,
): AsyncGenerator<ChangeBatch, void, undefined> {
  let waiting: ChangeBatch[] = [];
  let count = 0;
  let nextAt = 0;
  let since = 0;
  for await (const batch of reading) {
    if (waiting.length === 0 && (!sequencer.isAfterSweep || batch.records.length === 0)) {
      yield batch;
      continue;
    }
    if (waiting.length === 0) since = clock.monotonic();
    waiting.push(batch);
    count += batch.records.length;
    const hasEnded = batch.records.length === 0 || clock.monotonic() - since >= maxRecallWaitMs;
    const isDue = hasEnded && clock.monotonic() >= nextAt;
    if (count < maxRecalled && !isDue) continue;
    const startedAt = clock.monotonic();
    await sequencer.recall(waiting, call);
    nextAt = clock.monotonic() + 4 * (clock.monotonic() - startedAt);
    yield* waiting;
    waiting = [];
    count = 0;
  }
}

/** Decides when the next checkpoint is due. */
class CheckpointTimer {
  readonly #context: Pick<RunContext, "clock" | "checkpointMs">;
  #next: number;

  constructor(context: Pick<RunContext, "clock" | "checkpointMs">) {
    this.#context = context;
    this.#next = context.clock.monotonic() + context.checkpointMs;
  }

  isDue(): boolean {
    const { clock, checkpointMs } = this.#context;
    if (clock.monotonic() < this.#next) return false;
    this.#next = clock.monotonic() + checkpointMs;
    return true;
  }
}
