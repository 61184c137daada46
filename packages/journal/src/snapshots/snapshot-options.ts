import {
  type CallOptions,
  type Clock,
  type Logger,
  type OptionCheck,
  type OptionChecks,
  optionCheck,
  type Random,
} from "@tablekeep/core";
import type { Codecs } from "../codecs/codec.ts";
import { callChecks } from "../context/call-checks.ts";
import { checkJournalOptions, type JournalOptions } from "../context/journal-options.ts";
import { checkOptions } from "../errors/journal-error.ts";
import { isAmbiguousName } from "./snapshot-keys.ts";
import type {
  DeleteSnapshotOptions,
  LoadSnapshotOptions,
  OnUnreadable,
  SaveSnapshotOptions,
} from "./snapshots.ts";

/** What `openSnapshots` takes. */
export interface SnapshotsOptions {
  /**
   * The options of the journal whose snapshots these are: what both have in common (`journalName`, `deadlineMs`,
   * `maxItemSize`, `codecs`, `tracing`, `clock`, `random`, `logger`) is taken from them where it is not given. @default none
   */
  readonly journal?: JournalOptions | undefined;
  /** The table's name. @default "snapshots" */
  readonly table?: string | undefined;
  /** The beginning of all keys: several journals can share a table. Not with `-P-` in it. @default "journal" */
  readonly journalName?: string | undefined;
  /** Milliseconds for a call, and for each request of a snapshot that needs several items. @default 10,000 */
  readonly deadlineMs?: number | undefined;
  /** Who turns states into bytes and back. @default JSON, and the built-in serializers of Akka */
  readonly codecs?: Codecs | undefined;
  /** Which item format is written: `pay_data` is that of the plugin since 1.1.2, `pay` that before. Both are read. @default "pay_data" */
  readonly format?: "pay_data" | "pay" | undefined;
  /**
   * Which states are compressed: those too large for one item, all that get smaller by it, or none. The original cannot
   * read a compressed one, and says so. @default "large"
   */
  readonly compression?: "large" | "always" | "never" | undefined;
  /** Whether a state that is too large for one item is spread over several; else it is refused. @default true */
  readonly chunking?: boolean | undefined;
  /** Bytes of one item, from 4,096 up to DynamoDB's limit. @default 400,000, as the original's `max-item-size` */
  readonly maxItemSize?: number | undefined;
  /**
   * Whether the table has the index `ts-idx` with all attributes, as the original needs it. DynamoDB's limit is then for
   * an item and its copy in the index together: a snapshot above 204,800 bytes takes several items. @default true
   */
  readonly indexed?: boolean | undefined;
  /** Bytes of the largest state that is saved, or unpacked by a load. @default 268,435,456 (256 MiB) */
  readonly maxSnapshotBytes?: number | undefined;
  /**
   * What a load does with a snapshot that cannot be read: throw, go on with the one before it (and throw if none can be
   * read), or answer that there is none so that all events are replayed. @default "fail"
   */
  readonly onUnreadable?: OnUnreadable | undefined;
  /** How many snapshots of an id to keep. After each save the older ones are deleted in the background. @default all */
  readonly keep?: number | undefined;
  /** Milliseconds after the end of its time in which a save that was cut off is left alone. @default 3,600,000 (1 hour) */
  readonly garbageAfterMs?: number | undefined;
  /** Whether every request is told to the logger, at debug: operation, table, duration and end. @default false */
  readonly tracing?: boolean | undefined;
  /** The time that snapshots are stamped with. @default the machine's clock */
  readonly clock?: Clock | undefined;
  /** Where the jitter of waits comes from. @default the machine's randomness */
  readonly random?: Random | undefined;
  /** Told of snapshots that cannot be read and of cleaning that fails. @default none */
  readonly logger?: Logger | undefined;
}

const journalName: OptionCheck = (value) => {
  if (typeof value !== "string") return "must be a text";
  if (isAmbiguousName(value))
    return "must not contain -P- nor end in -P: its keys could be those of another journal";
  return undefined;
};

const int32: OptionCheck = (value) =>
  typeof value === "number" && value === (value | 0) ? undefined : "must be a whole number of 32 bits";

const anyText: OptionCheck = (value) => (typeof value === "string" ? undefined : "must be a text");

const checks: OptionChecks<SnapshotsOptions> = {
  journal: optionCheck.anything,
  table: optionCheck.nonEmptyString,
  journalName,
  deadlineMs: optionCheck.milliseconds,
  codecs: optionCheck.objectWith("encode", "decode"),
  format: optionCheck.oneOf("pay_data", "pay"),
  compression: optionCheck.oneOf("large", "always", "never"),
  chunking: optionCheck.boolean,
  maxItemSize: optionCheck.integer(4096, 409_600),
  indexed: optionCheck.boolean,
  maxSnapshotBytes: optionCheck.integer(1, 2 ** 31 - 1),
  onUnreadable: optionCheck.oneOf("fail", "previous", "replay-all"),
  keep: optionCheck.integer(1),
  garbageAfterMs: optionCheck.integer(0),
  tracing: optionCheck.boolean,
  clock: optionCheck.clock,
  random: optionCheck.callback,
  logger: optionCheck.logger,
};

/**
 * What is given, and for what is not, what the journal has. Throws `JOURNAL_OPTION_INVALID` for the first option that does
 * not exist or does not fit.
 */
export function resolveSnapshotsOptions(options: SnapshotsOptions): SnapshotsOptions {
  checkOptions(options, checks);
  const { journal, ...given } = options;
  if (journal === undefined) return given;
  checkJournalOptions(journal);
  const { journalName, deadlineMs, maxItemSize, codecs, tracing, clock, random, logger } = journal;
  const common = { journalName, deadlineMs, maxItemSize, codecs, tracing, clock, random, logger };
  const own = Object.entries(given).filter(([, value]) => value !== undefined);
  const resolved = { ...common, ...Object.fromEntries(own) };
  checkOptions<SnapshotsOptions>(resolved, checks);
  return resolved;
}

/** The checks of the options of one call. */
export const snapshotCallChecks: {
  readonly save: OptionChecks<SaveSnapshotOptions>;
  readonly load: OptionChecks<LoadSnapshotOptions>;
  readonly delete: OptionChecks<DeleteSnapshotOptions>;
  readonly other: OptionChecks<CallOptions>;
} = {
  save: { ...callChecks, metadata: optionCheck.anything, serializerId: int32, serializerManifest: anyText },
  load: { ...callChecks, onUnreadable: checks.onUnreadable },
  delete: { ...callChecks, timestamp: optionCheck.integer(0) },
  other: callChecks,
};
