import type { TableSpec } from "@tablekeep/client";
import {
  type Clock,
  type Logger,
  type OptionChecks,
  optionCheck,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { defaultInbox, isInboxName } from "./inbox-name.ts";
import { checkOptions, optionInvalid } from "./mail-error.ts";
import { createSearchMemory, type SearchMemory } from "./search-memory.ts";

/** How messages map to items: our own layout, or that of the Go package mhdynamo. */
export type MailLayoutName = "sharded" | "mhdynamo";

/** How much time one partition of the `mhdynamo` layout covers. The Go package reads and writes `day` only. */
export type PartitionSpan = "day" | "half-day" | "hour";

/** How to open a mail store. */
export interface MailOptions {
  /** The table. @default "mail" */
  readonly table?: string;
  /**
   * The name of the inbox: each is a separate store in the same table. Lower-case letters, digits, `.`, `_` and `-`; layout
   * `sharded` only. @default "default"
   */
  readonly inbox?: string;
  /** How messages map to items. @default "sharded" */
  readonly layout?: MailLayoutName;
  /** Over how many partitions the messages of an hour are spread, 1 to 32; layout `sharded` only. @default 4 */
  readonly shards?: number;
  /** How much time one partition covers; layout `mhdynamo` only. Never change it for a table. @default "day" */
  readonly partitionBy?: PartitionSpan;
  /** Days after which a message expires. @default 7 */
  readonly ttlDays?: number;
  /** Maximum number of messages. Soon after a store, the oldest beyond it are deleted. @default no limit */
  readonly maxMessages?: number;
  /** Bytes of the largest message. Layout `mhdynamo` accepts less: one item of 400 KB holds all of it. @default 52,428,800 */
  readonly maxMessageBytes?: number;
  /** The name in ids of the `mhdynamo` layout and in MailHog's `Received` header. @default "mailhog.example" */
  readonly hostname?: string;
  /** Milliseconds between two polls for messages of other instances, while there are watchers. @default 500 */
  readonly pollMs?: number;
  /** What the store keeps in memory for counts and searches; stores that share one have its limit together. @default one for this store */
  readonly searchMemory?: SearchMemory;
  /** Milliseconds for one call. @default 10,000 */
  readonly deadlineMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** @default none */
  readonly logger?: Logger;
}

export type ResolvedMailOptions = {
  readonly [Name in keyof MailOptions]-?: NonNullable<MailOptions[Name]>;
};

const defaults: Omit<ResolvedMailOptions, "searchMemory"> = {
  table: "mail",
  inbox: defaultInbox,
  layout: "sharded",
  shards: 4,
  partitionBy: "day",
  ttlDays: 7,
  maxMessages: Number.MAX_SAFE_INTEGER,
  maxMessageBytes: 52_428_800,
  hostname: "mailhog.example",
  pollMs: 500,
  deadlineMs: 10_000,
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
};

const checks: OptionChecks<MailOptions> = {
  table: optionCheck.nonEmptyString,
  inbox: (value) =>
    typeof value === "string" && isInboxName(value)
      ? undefined
      : "must be a name of lower-case letters, digits, dots, underscores and hyphens",
  layout: optionCheck.oneOf("sharded", "mhdynamo"),
  shards: optionCheck.integer(1, 32),
  partitionBy: optionCheck.oneOf("day", "half-day", "hour"),
  ttlDays: optionCheck.integer(1, 3650),
  maxMessages: optionCheck.integer(1),
  maxMessageBytes: optionCheck.integer(1, 1_073_741_824),
  hostname: optionCheck.nonEmptyString,
  pollMs: optionCheck.milliseconds,
  searchMemory: (value) =>
    typeof (value as Partial<SearchMemory> | null)?.add === "function"
      ? undefined
      : "must be a memory from createSearchMemory",
  deadlineMs: optionCheck.milliseconds,
  clock: optionCheck.clock,
  random: optionCheck.callback,
  logger: optionCheck.logger,
};

/** Checks options and adds the defaults. */
export function resolveMailOptions(options: MailOptions): ResolvedMailOptions {
  checkOptions(options, checks);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const resolved = { ...defaults, searchMemory: createSearchMemory(), ...given };
  if (resolved.layout === "mhdynamo" && resolved.inbox !== defaultInbox)
    throw optionInvalid("inbox", "requires the layout sharded");
  return resolved;
}

/**
 * Returns the table that a mail store with these options needs, for `ensureTable`, `checkTable` and templates.
 *
 * @example
 * await ensureTable(port, mailTableSpec({ table: "mail" }));
 */
export function mailTableSpec(options: MailOptions = {}): TableSpec {
  const { table, layout } = resolveMailOptions(options);
  if (layout === "mhdynamo")
    return {
      name: table,
      partitionKey: { name: "CreatedDate", type: "S" },
      sortKey: { name: "ID", type: "S" },
      ttlAttribute: "Expires",
    };
  return {
    name: table,
    partitionKey: { name: "pk", type: "S" },
    sortKey: { name: "sk", type: "S" },
    ttlAttribute: "expires",
  };
}
