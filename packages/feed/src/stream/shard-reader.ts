import { type GetRecordsOutput, isDynamoError, isTablekeepError } from "@tablekeep/core";
import type { ChangeRecord, ShardPosition } from "./change-source.ts";
import { decodeRecord } from "./decode-record.ts";
import { deniedOr, trimmedError } from "./stream-errors.ts";
import type { StreamSettings } from "./stream-options.ts";

/** The `seenUntil` of a shard that gets no further records. */
export const endOfTime: number = Number.MAX_SAFE_INTEGER;

/** The place from which a shard is read. */
export interface ShardStart {
  /** The last record that was read. @default none: from the oldest record */
  readonly sequence?: bigint;
  /** The time up to which everything had been read. @default unknown */
  readonly seenUntil?: number;
}

/** Reads one shard, page by page. Holds at most one page. */
export class ShardReader {
  readonly id: string;
  readonly parents: readonly string[];
  readonly #settings: StreamSettings;
  #iterator: string | undefined;
  /** The last record fetched. */
  #fetched: bigint | undefined;
  /** The time up to which everything has been fetched; undefined if nothing is known. */
  #fetchedUntil: number | undefined;
  /** The last record passed on. */
  #passed: bigint | undefined;
  #page: ChangeRecord[] = [];
  /** Whether the last read returned the maximum number of records. */
  #isFull = false;
  /** The time up to which everything had been fetched before this page. */
  #beforePage = 0;
  /** When the last reads, all of which found nothing, were sent: as many as show that a shard has been read to its end. */
  #emptyReads: number[] = [];
  #waitMs: number;
  #failures = 0;
  #lastReadAt = Number.NEGATIVE_INFINITY;
  /** When it may be read next, by the monotonic clock. */
  nextReadAt = 0;
  /** Whether the last read returned all available records. */
  atEnd = false;
  /** Whether the stream did not find the shard, which may no longer be listed. */
  missing = false;
  /** Whether the last page has been fetched. */
  ended = false;
  /** Whether the end is reached, everything has been passed on, and its children are known. */
  closed = false;

  constructor(settings: StreamSettings, id: string, parents: readonly string[], start: ShardStart) {
    this.#settings = settings;
    this.id = id;
    this.parents = parents;
    this.#fetched = start.sequence;
    this.#passed = start.sequence;
    this.#fetchedUntil = start.seenUntil;
    this.#waitMs = settings.pollMs;
  }

  get page(): readonly ChangeRecord[] {
    return this.#page;
  }

  /** The time up to which everything has been fetched; undefined if nothing is known. */
  get seenUntil(): number | undefined {
    return this.#fetchedUntil;
  }

  /** Whether a read is needed to continue. */
  get wantsRead(): boolean {
    return !this.ended && this.#page.length === 0;
  }

  /** Removes the first records of the page and returns them. */
  take(count: number): readonly ChangeRecord[] {
    const taken = this.#page.splice(0, count);
    this.#passed = taken[taken.length - 1]?.sequence ?? this.#passed;
    return taken;
  }

  /** The position after the records that were taken. */
  get position(): ShardPosition {
    const { parents, closed } = this;
    const waiting = this.#page[0];
    const seenUntil =
      waiting === undefined ? (this.#fetchedUntil ?? 0) : Math.max(this.#beforePage, waiting.createdAt);
    return { sequence: this.#passed, seenUntil: closed ? endOfTime : seenUntil, closed, parents };
  }

  /** Fetches the next page, if it is due. A transient failure delays the next read; any other error is thrown. */
  async read(signal: AbortSignal): Promise<void> {
    const { clock, logger, maxFailures, readsPerSecond } = this.#settings;
    const startedAt = clock.monotonic();
    const maxGapMs = Math.max(30_000, 2 * this.#settings.maxPollMs);
    // After a long pause there may be a backlog, in which an empty page does not mean the end.
    if (startedAt - this.#lastReadAt > maxGapMs) this.#loseEnd();
    this.#lastReadAt = startedAt;
    try {
      await this.#readPage(signal);
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      this.missing = isDynamoError(error, "ResourceNotFoundException");
      const passing = this.missing || isTransient(error);
      if (signal.aborted || !passing || this.#failures >= maxFailures) throw error;
      logger.warn("reading a shard failed", { shard: this.id, failures: this.#failures, error });
      this.#waitMs = Math.min(10_000, this.#waitMs * 2);
      this.nextReadAt = startedAt + this.#waitMs;
      return;
    }
    const idle = this.atEnd && this.#page.length === 0;
    const { pollMs, maxPollMs, lingerMs } = this.#settings;
    const waitMs = idle ? this.#waitMs : this.#isFull ? 0 : lingerMs;
    this.nextReadAt = startedAt + Math.max(1000 / readsPerSecond, waitMs);
    // A single record is followed by fewer reads than records under load.
    this.#waitMs = idle ? Math.min(maxPollMs, this.#waitMs * 2) : Math.max(pollMs, this.#waitMs / 4);
  }

  #loseEnd(): void {
    this.#emptyReads = [];
    this.atEnd = false;
  }

  async #readPage(signal: AbortSignal): Promise<void> {
    const { port, arn, clock, deadlineMs, pageRecords } = this.#settings;
    const before = clock.now();
    if (this.#iterator === undefined) {
      this.#loseEnd();
      this.#iterator = await this.#newIterator(signal);
    }
    const input = { ShardIterator: this.#iterator, Limit: pageRecords };
    try {
      this.#accept(await port.getRecords(input, { signal, deadlineMs }), before);
    } catch (error) {
      // A new iterator at the last record shows whether anything is lost.
      if (!isPassed(error)) throw deniedOr(error, "dynamodb:GetRecords", arn);
      this.#iterator = undefined;
    }
  }

  #accept({ Records = [], NextShardIterator }: GetRecordsOutput, before: number): void {
    const last = this.#fetched;
    const records = Records.map((record) => decodeRecord(this.id, record)).filter(
      ({ sequence }) => last === undefined || sequence > last,
    );
    this.#iterator = NextShardIterator;
    this.ended = NextShardIterator === undefined;
    this.#page = records;
    this.#beforePage = this.#fetchedUntil ?? 0;
    const newest = records[records.length - 1];
    if (newest !== undefined) {
      this.#emptyReads = [];
      this.#fetched = newest.sequence;
      this.#fetchedUntil = Math.max(this.#fetchedUntil ?? 0, newest.createdAt);
    } else if (Records.length === 0 && !this.ended) {
      this.#acceptNothing(before);
    }
    // A full page may be followed by more.
    this.#isFull = Records.length >= this.#settings.pageRecords;
    if (this.#isFull) this.atEnd = false;
  }

  #acceptNothing(before: number): void {
    this.#emptyReads.push(before);
    const [first = before] = this.#emptyReads;
    if (this.#emptyReads.length < this.#settings.emptyReadsAtEnd) return;
    this.#emptyReads.shift();
    this.atEnd = true;
    // What could be read at the time of the first of these reads would have come with the last.
    this.#fetchedUntil = Math.max(this.#fetchedUntil ?? 0, first);
  }

  async #newIterator(signal: AbortSignal): Promise<string | undefined> {
    const { port, arn, deadlineMs } = this.#settings;
    const shard = { StreamArn: arn, ShardId: this.id };
    const oldest = { ...shard, ShardIteratorType: "TRIM_HORIZON" as const };
    const sequence = this.#fetched;
    try {
      if (sequence === undefined) {
        if (this.#fetchedUntil !== undefined) this.#checkKept(undefined);
        return (await port.getShardIterator(oldest, { signal, deadlineMs })).ShardIterator;
      }
      const after = {
        ShardIteratorType: "AFTER_SEQUENCE_NUMBER" as const,
        SequenceNumber: sequenceText(sequence),
      };
      return (await port.getShardIterator({ ...shard, ...after }, { signal, deadlineMs })).ShardIterator;
    } catch (error) {
      if (!isDynamoError(error, "TrimmedDataAccessException"))
        throw deniedOr(error, "dynamodb:GetShardIterator", arn);
      this.#checkKept(error);
      return (await port.getShardIterator(oldest, { signal, deadlineMs })).ShardIterator;
    }
  }

  /** Throws `FEED_STREAM_TRIMMED` unless everything that was trimmed is known to have been read. */
  #checkKept(cause: unknown): void {
    const { arn, clock, retentionMs } = this.#settings;
    if (isKept(this.#fetchedUntil, clock.now(), retentionMs)) return;
    throw trimmedError(arn, this.id, this.#fetched, cause);
  }
}

/** The shortest sequence number that DynamoDB accepts. Numbers of DynamoDB Local begin with zeros. */
const shortestSequence = 21;

function sequenceText(sequence: bigint): string {
  return String(sequence).padStart(shortestSequence, "0");
}

/** Whether a stream still has every record that came after a time. It keeps a margin before the moment of trimming. */
export function isKept(seenUntil: number | undefined, now: number, retentionMs: number): boolean {
  return seenUntil !== undefined && now - seenUntil < 0.98 * retentionMs;
}

function isPassed(error: unknown): boolean {
  return (
    isDynamoError(error, "ExpiredIteratorException") || isDynamoError(error, "TrimmedDataAccessException")
  );
}

function isTransient(error: unknown): boolean {
  return isTablekeepError(error) && error.retryable;
}
