import type { TableSpec } from "@tablekeep/client";
import { type Clock, type Logger, type OptionChecks, optionCheck, type Random } from "@tablekeep/core";
import type { FeedOptions } from "../feed-options.ts";
import { checkOptions } from "./projection-error.ts";
import { keyNames } from "./store/projection-items.ts";

/** Options of `openProjections`. */
export interface ProjectionsOptions {
  /** A table created from {@link projectionTableSpec}. @default "projections" */
  readonly table?: string;
  /** The feed that the projections follow, as for `openFeed`: its journal and its name. @default the feed `all` of the table `events` */
  readonly feed?: FeedOptions;
  /** Deadline of one request, in milliseconds. @default 10,000 */
  readonly deadlineMs?: number;
  /** The source of time. @default the machine's clock */
  readonly clock?: Clock;
  /** Random source for the jitter of waits. @default the system's */
  readonly random?: Random;
  /** Logger for non-fatal problems. @default none */
  readonly logger?: Logger;
}

/** Options of `runProjections`. */
export interface RunProjectionsOptions extends ProjectionsOptions {
  /** Also bring events into the feed. One process at a time does so. @default true */
  readonly sequencer?: boolean;
  /** How long after its last sign of life a process loses its slices, in milliseconds. @default 15,000 */
  readonly leaseMs?: number;
  /** The longest wait before the feed is polled again, in milliseconds. @default 1,000 */
  readonly pollMs?: number;
  /** Stops the projections. @default none */
  readonly signal?: AbortSignal;
}

const checks: OptionChecks<ProjectionsOptions> = {
  table: optionCheck.nonEmptyString,
  feed: optionCheck.objectWith(),
  deadlineMs: optionCheck.milliseconds,
  clock: optionCheck.clock,
  random: optionCheck.callback,
  logger: optionCheck.logger,
};

const runChecks: OptionChecks<RunProjectionsOptions> = {
  ...checks,
  sequencer: optionCheck.boolean,
  leaseMs: optionCheck.milliseconds,
  pollMs: optionCheck.milliseconds,
  signal: optionCheck.signal,
};

/** The names of all options of `openProjections`. */
export const projectionsOptionNames: readonly string[] = Object.keys(checks);
/** The names of all options of `runProjections`. */
export const runProjectionsOptionNames: readonly string[] = Object.keys(runChecks);

/** Throws `PROJECTION_OPTION_INVALID` for unknown options and unsuitable values. */
export function checkProjectionsOptions(options: ProjectionsOptions): void {
  checkOptions(options, checks);
}

/** Throws `PROJECTION_OPTION_INVALID` for unknown options and unsuitable values. */
export function checkRunOptions(options: RunProjectionsOptions): void {
  checkOptions(options, runChecks);
}

export const defaultTable = "projections";

/**
 * Returns the table that projections need, for `ensureTable`, `checkTable` and the template printers. It is not the journal's table: its changes
 * would be in the stream that the feed reads.
 *
 * @example
 * await ensureTable(port, projectionTableSpec());
 */
export function projectionTableSpec(table: string = defaultTable): TableSpec {
  const [partition, sort] = keyNames;
  return {
    name: table,
    partitionKey: { name: partition, type: "S" },
    sortKey: { name: sort, type: "S" },
  };
}
