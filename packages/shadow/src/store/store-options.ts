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
import { checkOptions, type ShadowModel } from "../model/shadow-error.ts";
import { expiryAttribute } from "../rows/stored-row.ts";

/** Options of a shadow store. Names and defaults are the original's, where it has such an option. */
export interface ShadowsOptions {
  /** The table. @default "device-shadows" */
  readonly table?: string;
  /** The default model of operations. @default "combined" */
  readonly model?: ShadowModel;
  /** Maximum number of items per read request and per page of a list; at most 100. @default 100 */
  readonly maxReadBatchSize?: number;
  /** How often items that DynamoDB leaves unprocessed are requested again. @default 3 */
  readonly maxReadRetries?: number;
  /** How many shadows are written or deleted at a time, and how many batches are read. @default 1 */
  readonly maxParallelism?: number;
  /** How many shadows without a version one request reads before they are deleted; at most 25. @default 25 */
  readonly maxWriteBatchSize?: number;
  /** How often a write or delete without a version is retried when other writes come first. @default 3 */
  readonly maxWriteRetries?: number;
  /** Milliseconds for which the version of a deleted shadow is remembered. @default 172,800,000: 48 hours */
  readonly versionMemoryMs?: number;
  /** Reject creating a shadow that exists in the other model. @default true */
  readonly refuseDuplicates?: boolean;
  /** Milliseconds for one call. @default 10,000 */
  readonly deadlineMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default the machine's randomness */
  readonly random?: Random;
  /** @default none */
  readonly logger?: Logger;
}

export type ResolvedShadowsOptions = {
  readonly [Name in keyof ShadowsOptions]-?: NonNullable<ShadowsOptions[Name]>;
};

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
  deadlineMs: optionCheck.milliseconds,
  clock: optionCheck.clock,
  random: optionCheck.callback,
  logger: optionCheck.logger,
};

const defaults: ResolvedShadowsOptions = {
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
  const resolved: ResolvedShadowsOptions = { ...defaults, ...Object.fromEntries(given) };
  return Object.freeze({
    ...resolved,
    maxReadBatchSize: Math.min(resolved.maxReadBatchSize, 100),
    maxWriteBatchSize: Math.min(resolved.maxWriteBatchSize, 25),
  });
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

/** One call of a store: the store, and the time that the call has. */
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
