import type { TableSpec } from "@tablekeep/client";
import {
  type Clock,
  type DynamoPort,
  type Logger,
  type OptionChecks,
  optionCheck,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { type CallTime, type ShadowCallOptions, startCall } from "../model/call-options.ts";
import { checkOptions, optionInvalid, type ShadowModel } from "../model/shadow-error.ts";
import { expiryAttribute } from "../rows/stored-row.ts";

/** Options of a shadow store. Options that godeviceshadow also has have its names and defaults. */
export interface ShadowsOptions {
  /** The table. @default "device-shadows" */
  readonly table?: string;
  /** The default model of operations. @default "combined" */
  readonly model?: ShadowModel;
  /** Maximum number of items per read request and per page of a list; at most 100. @default 100 */
  readonly maxReadBatchSize?: number;
  /** How often items that DynamoDB leaves unprocessed are requested again. @default 3 */
  readonly maxReadRetries?: number;
  /** The number of shadows that are written or deleted concurrently, and of batches that are read concurrently. @default 1 */
  readonly maxParallelism?: number;
  /** The number of shadows without a version that one request reads before they are deleted; at most 25. @default 25 */
  readonly maxWriteBatchSize?: number;
  /** How often a write or delete without a version is retried when other writes come first. @default 3 */
  readonly maxWriteRetries?: number;
  /** Milliseconds for which the version of a deleted shadow is remembered. @default 172,800,000: 48 hours */
  readonly versionMemoryMs?: number;
  /** Reject creating a shadow that exists in the other model. @default true */
  readonly refuseDuplicates?: boolean;
  /** Keep every version that this store writes. Needs the combined model. @default no history */
  readonly history?: HistoryOptions;
  /** Milliseconds for one call. @default 10,000 */
  readonly deadlineMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default the machine's randomness */
  readonly random?: Random;
  /** @default none */
  readonly logger?: Logger;
}

/** The retention of the versions of shadows. */
export interface HistoryOptions {
  /** The table of the history. @default the shadows' table, and `-history` */
  readonly table?: string;
  /** The minimum number of versions that are kept of each shadow. @default 1,000 */
  readonly keep?: number;
  /** Milliseconds after which a version is removed, even if there are fewer. @default never */
  readonly maxAgeMs?: number;
}

/** The history with its defaults. */
export interface ResolvedHistory {
  readonly table: string;
  readonly keep: number;
  readonly maxAgeMs: number | undefined;
}

export type ResolvedShadowsOptions = {
  readonly [Name in Exclude<keyof ShadowsOptions, "history">]-?: NonNullable<ShadowsOptions[Name]>;
} & { readonly history: ResolvedHistory | undefined };

const checks: OptionChecks<ShadowsOptions> = {
  table: optionCheck.nonEmptyString,
  model: optionCheck.oneOf("combined", "separate"),
  maxReadBatchSize: optionCheck.integer(1),
  maxReadRetries: optionCheck.integer(0),
  maxParallelism: optionCheck.integer(1),
  maxWriteBatchSize: optionCheck.integer(1),
  maxWriteRetries: optionCheck.integer(0),
  versionMemoryMs: optionCheck.milliseconds,
  refuseDuplicates: optionCheck.boolean,
  history: (value) => (typeof value === "object" && value !== null ? undefined : "must be an object"),
  deadlineMs: optionCheck.milliseconds,
  clock: optionCheck.clock,
  random: optionCheck.callback,
  logger: optionCheck.logger,
};

const historyChecks: OptionChecks<HistoryOptions> = {
  table: optionCheck.nonEmptyString,
  keep: optionCheck.integer(1),
  maxAgeMs: optionCheck.milliseconds,
};

const defaults: Omit<ResolvedShadowsOptions, "history"> = {
  table: "device-shadows",
  model: "combined",
  maxReadBatchSize: 100,
  maxReadRetries: 3,
  maxParallelism: 1,
  maxWriteBatchSize: 25,
  maxWriteRetries: 3,
  versionMemoryMs: 48 * 3_600_000,
  refuseDuplicates: true,
  deadlineMs: 10_000,
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
};

/** Checks the options, fills in the defaults, and applies DynamoDB's limits. */
export function resolveShadowsOptions(options: ShadowsOptions): ResolvedShadowsOptions {
  checkOptions(options, checks);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const resolved: Omit<ResolvedShadowsOptions, "history"> = { ...defaults, ...Object.fromEntries(given) };
  return Object.freeze({
    ...resolved,
    history: resolveHistory(options.history, resolved),
    maxReadBatchSize: Math.min(resolved.maxReadBatchSize, 100),
    maxWriteBatchSize: Math.min(resolved.maxWriteBatchSize, 25),
  });
}

function resolveHistory(
  history: HistoryOptions | undefined,
  { table, model }: Pick<ResolvedShadowsOptions, "table" | "model">,
): ResolvedHistory | undefined {
  if (history === undefined) return undefined;
  checkOptions(history, historyChecks);
  if (model !== "combined")
    throw optionInvalid("history", "needs the model combined: separate halves have separate versions");
  return {
    table: shadowHistoryTableSpec(table, history).name,
    keep: history.keep ?? 1_000,
    maxAgeMs: history.maxAgeMs,
  };
}

/**
 * Returns the table that the history of shadows needs.
 *
 * @example
 * await ensureTable(port, shadowHistoryTableSpec("things"));
 */
export function shadowHistoryTableSpec(table = "device-shadows", history: HistoryOptions = {}): TableSpec {
  return {
    name: history.table ?? `${table}-history`,
    partitionKey: { name: "Shadow", type: "S" },
    sortKey: { name: "Entry", type: "S" },
    ttlAttribute: expiryAttribute,
  };
}

/**
 * Returns the table that shadows need: the original's, with expiry for the versions of deleted shadows.
 *
 * @example
 * await ensureTable(port, shadowTableSpec("things"));
 */
export function shadowTableSpec(table = "device-shadows"): TableSpec {
  return {
    name: table,
    partitionKey: { name: "PK", type: "S" },
    sortKey: { name: "SK", type: "S" },
    ttlAttribute: expiryAttribute,
  };
}

/** Dependencies of the parts of a store. */
export interface StoreContext {
  readonly port: DynamoPort;
  readonly options: ResolvedShadowsOptions;
}

/** One call of a store: the store, and the call's remaining time. */
export interface StoreCall extends StoreContext {
  /** Milliseconds until the deadline of the call. */
  leftMs(): number;
  /** Options of a request that is made now. Throws after the deadline. */
  request(): ReturnType<CallTime["remaining"]> & { readonly clock: Clock; readonly random: Random };
  /** Nanoseconds since 1970. */
  nanoseconds(): bigint;
}

/** Begins a call. */
export function beginCall(context: StoreContext, options: ShadowCallOptions): StoreCall {
  const { clock, random, deadlineMs } = context.options;
  const time = startCall(clock, options, deadlineMs);
  return {
    ...context,
    leftMs: time.leftMs,
    request: () => ({ ...time.remaining(), clock, random }),
    nanoseconds: () => BigInt(Math.floor(clock.now())) * 1_000_000n,
  };
}
