import {
  type CallOptions,
  type Clock,
  callChecks,
  type Logger,
  type OptionCheck,
  type OptionChecks,
  optionCheck,
  type Random,
} from "@tablekeep/core";
import type { Codecs } from "../codecs/codec.ts";
import type { Journal } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { checkJournalOptions, type JournalOptions } from "../context/journal-options.ts";
import { partsOf } from "../context/opened.ts";
import { checkOptions } from "../errors/journal-error.ts";
import { isAmbiguousName } from "./snapshot-keys.ts";
import type {
  DeleteSnapshotOptions,
  LoadSnapshotOptions,
  OnUnreadable,
  SaveSnapshotOptions,
} from "./snapshots.ts";

/** Options of `openSnapshots`. */
export interface SnapshotsOptions {
  /**
   * The journal whose snapshots these are, opened or by its options: what both have in common (`journalName`, `deadlineMs`,
   * `maxItemSize`, `codecs`, `tracing`, `clock`, `random`, `logger`) defaults to the journal's. Snapshots of a journal of the packed layout are stored
   * beside its events, in its table, unless another `table` is given. Options without `layout` need one request, which reads the journal's
   * record. @default none
   */
  readonly journal?: JournalOptions | Pick<Journal, "layout" | "replay">;
  /** The table's name. @default "snapshots"; for a journal of the packed layout the journal's */
  readonly table?: string;
  /** Prefix of all keys: several journals can share a table. Must not contain `-P-`. @default "journal" */
  readonly journalName?: string;
  /** Deadline of a call, and of each request of a snapshot with several items, in milliseconds. @default 10,000 */
  readonly deadlineMs?: number;
  /** Encodes and decodes states. @default JSON, and the built-in serializers of Akka */
  readonly codecs?: Codecs;
  /** The item format of new snapshots: `pay_data` is that of the plugin since 1.1.2, `pay` that before. Both are read. @default "pay_data" */
  readonly format?: "pay_data" | "pay";
  /**
   * Which states are compressed: those too large for one item, all that become smaller, or none. The original fails to
   * read a compressed one. @default "large"
   */
  readonly compression?: "large" | "always" | "never";
  /** Store a state that is too large for one item in several; if false, it is rejected. @default true */
  readonly chunking?: boolean;
  /** Maximum item size in bytes, from 4,096 up to DynamoDB's limit. @default 400,000, as the original's `max-item-size` */
  readonly maxItemSize?: number;
  /**
   * Whether the table has the index `ts-idx` with all attributes, which the original needs. DynamoDB's limit then applies
   * to an item and its copy in the index together: a snapshot above 204,800 bytes needs several items. @default true
   */
  readonly indexed?: boolean;
  /** Maximum size of a state in bytes, before compression. @default 268,435,456 (256 MiB) */
  readonly maxSnapshotBytes?: number;
  /**
   * What to do with an unreadable snapshot: throw, continue with the one before it (and throw if none can be
   * read), or return undefined so that all events are replayed. @default "fail"
   */
  readonly onUnreadable?: OnUnreadable;
  /** Number of snapshots to keep for each id. After each save the older ones are deleted in the background. @default all */
  readonly keep?: number;
  /** Milliseconds after its deadline before an incomplete save counts as garbage. @default 3,600,000 (1 hour) */
  readonly garbageAfterMs?: number;
  /** Log every request at debug level: operation, table, duration and result. @default false */
  readonly tracing?: boolean;
  /** Clock for timestamps. @default the system clock */
  readonly clock?: Clock;
  /** Random source for the jitter of waits. @default the system's */
  readonly random?: Random;
  /** Logger for unreadable snapshots and failed cleaning. @default none */
  readonly logger?: Logger;
}

const journalName: OptionCheck = (value) => {
  if (typeof value !== "string") return "must be a string";
  if (isAmbiguousName(value))
    return "must not contain -P- nor end in -P: its keys could be those of another journal";
  return undefined;
};

const int32: OptionCheck = (value) =>
  typeof value === "number" && value === (value | 0) ? undefined : "must be a 32-bit integer";

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
 * Merges the given options with those of the journal. Throws `JOURNAL_OPTION_INVALID` for the first unknown or invalid
 * option.
 */
export function resolveSnapshotsOptions(options: SnapshotsOptions): SnapshotsOptions {
  checkOptions(options, checks);
  const { journal, ...given } = options;
  if (journal === undefined) return given;
  const { journalName, deadlineMs, maxItemSize, codecs, tracing, clock, random, logger } =
    journalOptionsOf(journal);
  const common = { journalName, deadlineMs, maxItemSize, codecs, tracing, clock, random, logger };
  const own = Object.entries(given).filter(([, value]) => value !== undefined);
  const resolved = { ...common, ...Object.fromEntries(own) };
  checkOptions<SnapshotsOptions>(resolved, checks);
  return resolved;
}

/** The options of a journal that is given as such, or open. An open one knows its layout. */
export function journalOptionsOf(journal: SnapshotsOptions["journal"] & object): JournalOptions {
  const parts = partsOf<{ context: JournalContext }>(journal);
  if (parts === undefined) {
    checkJournalOptions(journal as JournalOptions);
    return journal as JournalOptions;
  }
  const { table, layout, journalName, deadlineMs, maxItemSize, codecs, clock, random, logger } =
    parts.context;
  const names = { table, layout: layout.name, ...(journalName !== "" && { journalName }) };
  return { ...names, deadlineMs, maxItemSize, codecs, clock, random, logger };
}

/** The checks of the options of one call. */
export const snapshotCallChecks: {
  readonly save: OptionChecks<SaveSnapshotOptions>;
  readonly load: OptionChecks<LoadSnapshotOptions>;
  readonly delete: OptionChecks<DeleteSnapshotOptions>;
  readonly other: OptionChecks<CallOptions>;
} = {
  save: {
    ...callChecks,
    expiresAt: optionCheck.integer(0),
    metadata: optionCheck.anything,
    serializerId: int32,
    serializerManifest: optionCheck.string,
  },
  load: { ...callChecks, onUnreadable: checks.onUnreadable },
  delete: { ...callChecks, timestamp: optionCheck.integer(0) },
  other: callChecks,
};
