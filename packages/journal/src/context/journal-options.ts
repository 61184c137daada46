import type { TableSpec } from "@tablekeep/client";
import {
  type Clock,
  type Logger,
  type OptionCheck,
  type OptionChecks,
  optionCheck,
  type Random,
  type StandardSchema,
  silentLogger,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import type { AkkaLine } from "../codecs/akka-line.ts";
import type { Codecs } from "../codecs/codec.ts";
import { checkOptions, optionInvalid } from "../errors/journal-error.ts";
import type { LayoutName } from "../layouts/layout.ts";
import type { LinearNames } from "../layouts/linear-layout.ts";
import { type MessageNames, messageNames } from "../rows/message-format.ts";
import type { RowFormat } from "../rows/row-format.ts";
import type { Fencing, ReplayFilterMode } from "./journal.ts";

/** The suffixes of a journal's name in keys. */
const markers = ["-P-", "-SH-", "-SL-", "-W-", "-C-", "-R-"];

/**
 * Two journals in one table must not have keys in common: journal `a` with id `b-P-c` and journal `a-P-b` with id `c`
 * would. A name is rejected if what follows it in a key could be taken for an earlier end of the name; and, because a
 * journal may have no name, if a key that begins with the name could be one of such a journal: `P-a`, `SH`.
 */
const journalName: OptionCheck = (value) => {
  if (typeof value !== "string") return "must be a string";
  if (value === "") return undefined;
  const ambiguous = markers.find((marker) =>
    markers.some((next) => {
      const at = `-${value}${next}`.indexOf(marker);
      return at >= 0 && at <= value.length;
    }),
  );
  if (ambiguous === undefined) return undefined;
  return `must not contain ${ambiguous}, nor start or end with a part of it: its keys could be those of another journal`;
};

/** Options of a journal. Names and defaults are those of the Akka plugin's settings, except for the table. */
export interface JournalOptions<Event = unknown> {
  /** The table; the Akka plugin's own default is "akka-persistence". @default "events" */
  readonly table?: string;
  /**
   * How events are stored in the table. @default as the journal was created. For a new one "packed"; "bucketed" if `akka` or `format` is one of
   * an Akka, or if the table has items of this journal in that layout
   */
  readonly layout?: LayoutName;
  /** Prefix of all keys; several journals may share a table. @default "journal"; in the linear layout "" */
  readonly journalName?: string;
  /** Number of items that the marks of an id are spread over; never change it for a table. @default 10; in the scattered layout 1,000 */
  readonly sequenceShards?: number;
  /** Number of buckets that a replay reads at once. @default 10 */
  readonly replayParallelism?: number;
  /**
   * Also read the bucket after the last one with events if that one is not full. The bucket after a full one is always
   * read; the original reads it only with this setting. @default false
   */
  readonly highDistrust?: boolean;
  /** Whether a superseded writer may still write one late event (`optimistic`) or never (`strict`, 4 times the cost). @default "optimistic" */
  readonly fencing?: Fencing;
  /**
   * The Akka version that also uses the table: `"2.5"` for Akka up to 2.5, `"2.6"` for Akka 2.6 and later and Pekko, `"none"` if no
   * Akka does. With an Akka, payloads that it cannot read are rejected, deletes remove rows instead of leaving
   * tombstones, and every append is a transaction. @default as the journal's own record says; a new journal shares its table if
   * that holds rows of an Akka plugin
   */
  readonly akka?: "none" | AkkaLine;
  /** The item format of new events; all formats are read. @default "event"; in the scattered layout "message" */
  readonly format?: RowFormat;
  /** Names of the key attributes of a linear table. @default { persistenceId: "pid", sequenceNr: "seq" } */
  readonly keyNames?: LinearNames;
  /** Names of the other attributes of the `message` format. @default `payload`, `deleted`, `confirmations` */
  readonly messageNames?: MessageNames;
  /**
   * Maximum item size, in bytes as the original counts them; a larger event is rejected. DynamoDB's limit is 409,600. In the packed layout
   * a write is divided into items of at most this size. @default 400,000
   */
  readonly maxItemSize?: number;
  /**
   * Number of appends of a writer after which the journal merges their items in the background, if they are small. Only in the packed
   * layout. @default never
   */
  readonly compactAfter?: number;
  /** Maximum number of keys in a BatchGetItem, up to 100. @default 100 */
  readonly maxBatchGet?: number;
  /** Maximum number of puts and deletes in a BatchWriteItem, up to 25. @default 25 */
  readonly maxBatchWrite?: number;
  /** The original's index of ids, for queries with `source: "index"`. @default "persistence-ids-idx" */
  readonly persistenceIdsIndex?: string;
  /** What to do with events of the original by a superseded writer. @default "repair-by-discard-old" */
  readonly replayFilter?: ReplayFilterMode;
  /** Whether a replay's `max` counts returned events, or all that are read, as the original does. @default "after-filter" */
  readonly countLimit?: "after-filter" | "before-filter";
  /** Deadline of one call, in milliseconds. @default 10,000 */
  readonly deadlineMs?: number;
  /** Log every request at debug level: operation, table, duration and result. @default false */
  readonly tracing?: boolean;
  /** Log the settings at info level when the journal is opened. @default false */
  readonly logConfig?: boolean;
  /**
   * A schema of the payloads, by any library that implements Standard Schema. Payloads are validated when they are
   * appended and when they are read, and have its type. It must accept what it returns. @default none
   */
  readonly events?: StandardSchema<Event>;
  /** Encodes and decodes payloads. @default JSON, and the built-in serializers of Akka */
  readonly codecs?: Codecs;
  /** Clock for timestamps and waits. @default the system clock */
  readonly clock?: Clock;
  /** Random source for the jitter of waits. @default the system's */
  readonly random?: Random;
  /** Logger for non-fatal problems. @default none */
  readonly logger?: Logger;
}

export type ResolvedJournalOptions = {
  readonly [Name in Exclude<
    keyof JournalOptions,
    "codecs" | "akka" | "events" | "compactAfter"
  >]-?: NonNullable<JournalOptions[Name]>;
} & Pick<JournalOptions, "akka" | "compactAfter">;

const defaults: ResolvedJournalOptions = {
  table: "events",
  layout: "packed",
  journalName: "journal",
  sequenceShards: 10,
  replayParallelism: 10,
  highDistrust: false,
  fencing: "optimistic",
  format: "event",
  keyNames: { persistenceId: "pid", sequenceNr: "seq" },
  messageNames,
  maxItemSize: 400_000,
  maxBatchGet: 100,
  maxBatchWrite: 25,
  persistenceIdsIndex: "persistence-ids-idx",
  replayFilter: "repair-by-discard-old",
  countLimit: "after-filter",
  deadlineMs: 10_000,
  tracing: false,
  logConfig: false,
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
};

/** The differences between layouts, as between the originals. */
const layoutDefaults: Record<LayoutName, JournalOptions> = {
  packed: {},
  bucketed: {},
  linear: { journalName: "" },
  scattered: { sequenceShards: 1000, format: "message" },
};

const checks: OptionChecks<JournalOptions> = {
  table: optionCheck.nonEmptyString,
  layout: optionCheck.oneOf("packed", "bucketed", "linear", "scattered"),
  journalName,
  sequenceShards: optionCheck.integer(1, 100_000),
  replayParallelism: optionCheck.integer(1, 1000),
  highDistrust: optionCheck.boolean,
  fencing: optionCheck.oneOf("optimistic", "strict"),
  akka: optionCheck.oneOf("none", "2.5", "2.6"),
  format: optionCheck.oneOf("event", "pay", "message"),
  keyNames: optionCheck.objectOfStrings("persistenceId", "sequenceNr"),
  messageNames: optionCheck.objectOfStrings("payload", "deleted", "confirmations"),
  maxItemSize: optionCheck.integer(1),
  compactAfter: optionCheck.integer(2, 10_000),
  maxBatchGet: optionCheck.integer(1, 100),
  maxBatchWrite: optionCheck.integer(1, 25),
  persistenceIdsIndex: optionCheck.nonEmptyString,
  replayFilter: optionCheck.oneOf("repair-by-discard-old", "fail", "warn", "off"),
  countLimit: optionCheck.oneOf("after-filter", "before-filter"),
  deadlineMs: optionCheck.milliseconds,
  tracing: optionCheck.boolean,
  logConfig: optionCheck.boolean,
  events: (value) =>
    typeof (value as Partial<StandardSchema<unknown>> | null)?.["~standard"]?.validate === "function"
      ? undefined
      : "must be a schema that implements Standard Schema",
  codecs: optionCheck.objectWith("encode", "decode", "unpack"),
  clock: optionCheck.clock,
  random: optionCheck.callback,
  logger: optionCheck.logger,
};

/** Throws `JOURNAL_OPTION_INVALID` for the first unknown or invalid option. */
export function checkJournalOptions(options: JournalOptions): void {
  checkOptions(options, checks);
}

/** Fills in the defaults and checks the given options. */
export function resolveJournalOptions(options: JournalOptions): ResolvedJournalOptions {
  checkJournalOptions(options);
  const {
    codecs: _codecs,
    events: _events,
    ...given
  } = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as JournalOptions;
  const layout = given.layout ?? (isForAkka(given) ? "bucketed" : defaults.layout);
  const resolved = {
    ...defaults,
    ...layoutDefaults[layout],
    ...given,
    layout,
  } as ResolvedJournalOptions;
  const { keyNames } = resolved;
  if (layout === "linear" && resolved.journalName === "" && keyNames.persistenceId === "par")
    throw optionInvalid(
      "journalName",
      "is required in a table of the bucketed layout, which other journals may share",
    );
  if ((layout === "linear" || layout === "packed") && resolved.akka !== undefined && resolved.akka !== "none")
    throw optionInvalid("akka", `must be "none" in the ${layout} layout, which no Akka plugin reads`);
  if (layout === "packed" && resolved.format !== "event")
    throw optionInvalid("format", 'must be "event" in the packed layout, which no Akka plugin reads');
  return resolved;
}

/** Whether options other than the layout say that an Akka plugin reads the journal. */
function isForAkka({ akka = "none", format = "event" }: JournalOptions): boolean {
  return akka !== "none" || format !== "event";
}

/**
 * The table that a journal with these options needs: for `ensureTable`, `checkTable` and the printers of templates.
 *
 * @example
 * await ensureTable(port, journalTableSpec({ table: "events" }));
 */
export function journalTableSpec(options: JournalOptions = {}): TableSpec {
  const { table, layout, keyNames } = resolveJournalOptions(options);
  // Tombstones and commit records of deleted events expire.
  const common = { name: table, ttlAttribute: "ttl" };
  switch (layout) {
    case "packed":
    case "bucketed":
      return { ...common, partitionKey: { name: "par", type: "S" }, sortKey: { name: "num", type: "N" } };
    case "linear":
      return {
        ...common,
        partitionKey: { name: keyNames.persistenceId, type: "S" },
        sortKey: { name: keyNames.sequenceNr, type: "N" },
      };
    case "scattered":
      return { ...common, partitionKey: { name: "key", type: "S" } };
  }
}
