import { randomUUID } from "node:crypto";
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
import type { Journal, Snapshots } from "@tablekeep/journal";
import { checkOptions, optionInvalid } from "./call-options.ts";
import type { AnyEntity } from "./definition/entity-definition.ts";
import type { LedgerOptions } from "./ledger/ledger-options.ts";

/** Options of `openEntities`. */
export interface EntitiesOptions<Entities extends readonly AnyEntity[] = readonly AnyEntity[]> {
  /** Stores the events. */
  readonly journal: Journal;
  /** Stores the snapshots. @default none: every recovery applies all events */
  readonly snapshots?: Snapshots;
  /** The definitions that this host serves, each with its own type. */
  readonly entities: Entities;
  /** Stores the replies of commands with an id. @default none: command ids are rejected */
  readonly ledger?: LedgerOptions;
  /** Deadline of an ask, and of each request of a recovery, in milliseconds. @default 10,000 */
  readonly deadlineMs?: number;
  /** Entities that may recover, read or write at the same time. @default 64 */
  readonly maxConcurrent?: number;
  /** Commands that may wait for one entity. @default 1,000 */
  readonly maxQueue?: number;
  /** Commands that may wait in the whole host. @default 10,000 */
  readonly maxPending?: number;
  /** Waiting commands of one entity that may share a transaction; 1 writes each alone. @default 50 */
  readonly maxGroup?: number;
  /** How many times a command is decided again after a conflict. @default 5 */
  readonly maxConflicts?: number;
  /** Events between two snapshots of an entity. @default 100 */
  readonly snapshotEvery?: number;
  /** Snapshots of an entity to keep. @default all */
  readonly keepSnapshots?: number;
  /** Delete events that the oldest kept snapshot contains. Requires `keepSnapshots`. @default false */
  readonly deleteCoveredEvents?: boolean;
  /** How long an idle entity stays in memory, in milliseconds. @default 120,000 */
  readonly passivateAfterMs?: number;
  /** Entities that stay in memory. Beyond that, the least recently used idle one is removed. @default 10,000 */
  readonly maxLoaded?: number;
  /**
   * Check a read-only reply against the table for writes by other hosts before returning it.
   * @default true for a journal with strict fencing, false otherwise
   */
  readonly verifyReads?: boolean;
  /** Generates the ids of `context.newId`. @default `crypto.randomUUID` */
  readonly newId?: () => string;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Logger for failed snapshots and deletions in the background, and, at error level and once per definition, for states
   * that cannot be stored. @default none
   */
  readonly logger?: Logger;
}

const checks: OptionChecks<EntitiesOptions> = {
  journal: optionCheck.objectWith(
    "load",
    "replay",
    "highestSequenceNr",
    "lowestSequenceNr",
    "deleteTo",
    "purge",
  ),
  snapshots: optionCheck.objectWith("save", "load", "keepNewest", "list", "deleteMany"),
  entities: (value) =>
    optionCheck.arrayOf(optionCheck.objectWith("initial", "decide", "evolve", "tags", "persistenceId"))(
      value,
    ) === undefined
      ? undefined
      : "must be an array of definitions that defineEntity returns",
  ledger: optionCheck.anything,
  deadlineMs: optionCheck.milliseconds,
  maxConcurrent: optionCheck.integer(1),
  maxQueue: optionCheck.integer(1),
  maxPending: optionCheck.integer(1),
  maxGroup: optionCheck.integer(1, 80),
  maxConflicts: optionCheck.integer(0),
  snapshotEvery: optionCheck.integer(1),
  keepSnapshots: optionCheck.integer(1),
  deleteCoveredEvents: optionCheck.boolean,
  passivateAfterMs: optionCheck.milliseconds,
  maxLoaded: optionCheck.integer(1),
  verifyReads: optionCheck.boolean,
  newId: optionCheck.callback,
  clock: optionCheck.clock,
  random: optionCheck.callback,
  logger: optionCheck.logger,
};

/** The options with defaults filled in. `snapshots` and `keepSnapshots` may be undefined. */
export type ResolvedOptions = {
  readonly [Name in Exclude<
    keyof EntitiesOptions,
    "snapshots" | "ledger" | "keepSnapshots" | "entities"
  >]-?: NonNullable<EntitiesOptions[Name]>;
} & Pick<EntitiesOptions, "snapshots" | "keepSnapshots">;

/** Checks the options and fills in the defaults. */
export function resolveOptions(options: EntitiesOptions): ResolvedOptions {
  checkOptions(options, checks);
  for (const required of ["journal", "entities"] as const) {
    if (options[required] === undefined) throw optionInvalid(required, "is missing");
  }
  if (
    options.deleteCoveredEvents === true &&
    (options.keepSnapshots === undefined || options.snapshots === undefined)
  )
    throw optionInvalid("deleteCoveredEvents", "requires snapshots and keepSnapshots");
  if (options.deleteCoveredEvents === true) checkStatesReadable(options.entities);
  return {
    journal: options.journal,
    snapshots: options.snapshots,
    deadlineMs: options.deadlineMs ?? 10_000,
    maxConcurrent: options.maxConcurrent ?? 64,
    maxQueue: options.maxQueue ?? 1_000,
    maxPending: options.maxPending ?? 10_000,
    maxGroup: options.maxGroup ?? 50,
    maxConflicts: options.maxConflicts ?? 5,
    snapshotEvery: options.snapshotEvery ?? 100,
    keepSnapshots: options.keepSnapshots,
    deleteCoveredEvents: options.deleteCoveredEvents ?? false,
    passivateAfterMs: options.passivateAfterMs ?? 120_000,
    maxLoaded: options.maxLoaded ?? 10_000,
    verifyReads: options.verifyReads ?? options.journal.fencing === "strict",
    newId: options.newId ?? randomUUID,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    logger: options.logger ?? silentLogger,
  };
}

/**
 * Once events are deleted, only snapshots hold the state. A raised `stateVersion` without `upcastState` ignores older
 * snapshots, so such entities could not be read.
 */
function checkStatesReadable(entities: readonly AnyEntity[]): void {
  const unreadable = entities.find(
    ({ stateVersion, upcastState }) => stateVersion > 1 && upcastState === undefined,
  );
  if (unreadable === undefined) return;
  throw optionInvalid(
    "deleteCoveredEvents",
    `requires upcastState in the definition of ${unreadable.type}: its stateVersion is ${unreadable.stateVersion}, and entities with older snapshots could not be read`,
  );
}
