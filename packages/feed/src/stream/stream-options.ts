import {
  type Clock,
  type DynamoPort,
  type Logger,
  type OptionChecks,
  optionCheck,
  silentLogger,
  systemClock,
} from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../feed-error.ts";

/** AWS: Streams — how long a record can be read, in milliseconds. */
export const streamRetentionMs: number = 24 * 60 * 60 * 1000;

/** Options of {@link openStreamSource}. */
export interface StreamSourceOptions {
  /** The table whose changes to read. */
  readonly tableName: string;
  /** The stream to read. @default the table's current one */
  readonly streamArn?: string;
  /** What the records must contain: the keys of the item, or the whole new item. @default "keys" */
  readonly needs?: "keys" | "image";
  /** The wait after a read that found nothing, in milliseconds. It doubles up to `maxPollMs`. @default 200 */
  readonly pollMs?: number;
  /** The longest wait between two reads of an idle shard, in milliseconds. @default 2,000 */
  readonly maxPollMs?: number;
  /** Maximum number of reads of one shard per second. AWS allows 5. @default 5 */
  readonly readsPerSecond?: number;
  /**
   * The shortest wait after a read that found the newest records, in milliseconds: those that arrive meanwhile are read together. Full pages are
   * followed at once, within `readsPerSecond`. @default 0
   */
  readonly lingerMs?: number;
  /** Maximum number of records per read. @default 1,000 */
  readonly pageRecords?: number;
  /**
   * How many reads in a row must find nothing before a shard counts as read to its end, when reading begins. AWS may return empty pages
   * before records. @default 5
   */
  readonly emptyReadsAtEnd?: number;
  /** The longest interval between two lists of the shards, in milliseconds. They are also listed whenever one ends. @default 60,000 */
  readonly describeMs?: number;
  /** How long the stream keeps a record, in milliseconds. @default 86,400,000, a day */
  readonly retentionMs?: number;
  /** How many requests in a row may fail for a shard before its error is thrown. Each request is retried as well. @default 10 */
  readonly maxFailures?: number;
  /** The deadline of each request, in milliseconds. @default the port's own */
  readonly deadlineMs?: number;
  /** The source of time. @default the machine's clock */
  readonly clock?: Clock;
  /** Logger for non-fatal problems. @default none */
  readonly logger?: Logger;
}

/** The options with their defaults, and the port. */
export interface StreamSettings extends Required<Omit<StreamSourceOptions, "streamArn" | "deadlineMs">> {
  readonly port: DynamoPort;
  readonly arn: string;
  readonly deadlineMs?: number;
}

const positive = (value: unknown) =>
  typeof value === "number" && value > 0 ? undefined : "must be a number above 0, or Infinity";

const optionChecks: OptionChecks<StreamSourceOptions> = {
  tableName: optionCheck.nonEmptyString,
  streamArn: optionCheck.nonEmptyString,
  needs: optionCheck.oneOf("keys", "image"),
  pollMs: optionCheck.milliseconds,
  maxPollMs: optionCheck.milliseconds,
  readsPerSecond: positive,
  lingerMs: optionCheck.integer(0),
  pageRecords: optionCheck.integer(1, 1000),
  emptyReadsAtEnd: optionCheck.integer(1),
  describeMs: optionCheck.milliseconds,
  retentionMs: optionCheck.milliseconds,
  maxFailures: optionCheck.integer(1),
  deadlineMs: optionCheck.milliseconds,
  clock: optionCheck.clock,
  logger: optionCheck.logger,
};

/** The names of all options. */
export const streamSourceOptionNames: readonly string[] = Object.keys(optionChecks);

/** Throws `FEED_OPTION_INVALID` for unknown options and unsuitable values. */
export function checkStreamOptions(options: StreamSourceOptions): void {
  checkOptions(options, optionChecks);
  if (options.tableName === undefined) throw optionInvalid("tableName", "is missing");
}

/** Adds the defaults. */
export function streamSettings(port: DynamoPort, arn: string, options: StreamSourceOptions): StreamSettings {
  const pollMs = options.pollMs ?? 200;
  return {
    port,
    arn,
    tableName: options.tableName,
    needs: options.needs ?? "keys",
    pollMs,
    maxPollMs: Math.max(pollMs, options.maxPollMs ?? 2000),
    readsPerSecond: options.readsPerSecond ?? 5,
    lingerMs: options.lingerMs ?? 0,
    pageRecords: options.pageRecords ?? 1000,
    emptyReadsAtEnd: options.emptyReadsAtEnd ?? 5,
    describeMs: options.describeMs ?? 60_000,
    retentionMs: options.retentionMs ?? streamRetentionMs,
    maxFailures: options.maxFailures ?? 10,
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    ...(options.deadlineMs !== undefined && { deadlineMs: options.deadlineMs }),
  };
}
