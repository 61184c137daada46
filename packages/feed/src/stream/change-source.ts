import type { Item, Key } from "@tablekeep/core";
import type { JournalWrite, StreamChange } from "@tablekeep/journal/changes";

/** One change to an item, as a stream shows it. */
export interface ChangeRecord {
  readonly kind: "insert" | "modify" | "remove";
  readonly keys: Key;
  /** The item after the change, if the stream contains it. Absent for `remove`. */
  readonly image?: Item;
  /** The item before the change, if the stream contains it. Absent for `insert`. */
  readonly before?: Item;
  /** What the change commits, if the source was given `writesOf`: then keys and images may be missing. */
  readonly writes?: readonly JournalWrite[];
  /** The sequence number of the record. Numbers of one shard rise; those of different shards cannot be compared. */
  readonly sequence: bigint;
  readonly shard: string;
  /** About when the change was committed, in milliseconds. DynamoDB Streams rounds it down to a second. */
  readonly createdAt: number;
}

/** The result of one round of reading. */
export interface ChangeBatch {
  readonly records: readonly ChangeRecord[];
  /** The position of each shard that was read in this round, or from which records are in this batch. */
  readonly positions: ReadonlyMap<string, ShardPosition>;
  /** Shards that the stream no longer lists, because all their records are older than a day. A checkpoint need not keep them. */
  readonly gone?: readonly string[];
}

/** The progress of reading a shard. */
export interface ShardPosition {
  /** The sequence number of the last record that was read. Undefined before the first. */
  readonly sequence: bigint | undefined;
  /**
   * Every change that the shard showed by this time has been read, in milliseconds. At the end of a shard it is the time before
   * the request, or before the first of the requests that found nothing; within a backlog, the creation time of the last record; of a closed shard, `Number.MAX_SAFE_INTEGER`. 0 if nothing
   * is known yet.
   */
  readonly seenUntil: number;
  /** Whether the shard gets no further records and all have been read. */
  readonly closed: boolean;
  /** The shards whose records precede those of this shard. */
  readonly parents: readonly string[];
}

/** Options of reading changes. */
export interface ReadChangesOptions {
  /** Ends reading. */
  readonly signal: AbortSignal;
  /**
   * The `seenUntil` of each shard when the checkpoint was taken. With it, a source skips shards that had been read to their end, and
   * distinguishes records that were trimmed after they were read from lost ones. @default unknown: what was trimmed counts as lost
   */
  readonly seenUntil?: ReadonlyMap<string, number>;
  /**
   * Returns what a change commits. With it, a source may return that in place of items, and leave out changes that commit nothing. Must not
   * throw. @default records have their keys and images
   */
  readonly writesOf?: (change: StreamChange) => readonly JournalWrite[];
}

/** Reads changes after given positions. */
export interface ChangeSource {
  /** The ARN of the stream. Sequence numbers and shards of another stream mean nothing in this one. */
  readonly arn: string;
  /** What its records contain: the keys of items, or the whole new items. @default "image" */
  readonly view?: "keys" | "image";
  /**
   * Yields changes until the signal aborts. Records of one item are in the order of the changes; nothing is read ahead beyond one
   * page of each shard.
   * @param from The sequence number after which to read, by shard. Shards that it lacks are read from their oldest record.
   */
  read(from: ReadonlyMap<string, bigint>, options: ReadChangesOptions): AsyncIterable<ChangeBatch>;
}
