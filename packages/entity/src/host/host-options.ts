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
import type { AnyEntity } from "../definition/entity-definition.ts";
import type { LedgerOptions } from "../ledger/ledger-options.ts";
import { checkOptions, optionInvalid } from "../options/check-options.ts";

/** What `openEntities` takes. */
export interface EntitiesOptions<Entities extends readonly AnyEntity[] = readonly AnyEntity[]> {
  readonly journal: Journal;
  /** @default none: every recovery applies all events */
  readonly snapshots?: Snapshots | undefined;
  /** The definitions that this host serves; no two of the same type. */
  readonly entities: Entities;
  /** Remembers the replies of commands that have an id. @default none: command ids are refused */
  readonly ledger?: LedgerOptions | undefined;
  /** Milliseconds for one ask, and for each request of a recovery. @default 10,000 */
  readonly deadlineMs?: number | undefined;
  /** How many entities may recover, read or write at the same time. @default 64 */
  readonly maxConcurrent?: number | undefined;
  /** How many commands may wait for one entity. @default 1,000 */
  readonly maxQueue?: number | undefined;
  /** How many commands may wait in the whole host. @default 10,000 */
  readonly maxPending?: number | undefined;
  /** How many waiting commands of one entity may be written together, in one transaction; 1 for none. @default 50 */
  readonly maxGroup?: number | undefined;
  /** How often a command is decided again because another writer was faster. @default 5 */
  readonly maxConflicts?: number | undefined;
  /** Events between two snapshots of an entity. @default 100 */
  readonly snapshotEvery?: number | undefined;
  /** How many snapshots of an entity to keep. @default all */
  readonly keepSnapshots?: number | undefined;
  /** Whether events that the oldest kept snapshot contains are deleted; needs `keepSnapshots`. @default false */
  readonly deleteCoveredEvents?: boolean | undefined;
  /** Milliseconds after its last command in which an entity stays in memory. @default 120,000 */
  readonly passivateAfterMs?: number | undefined;
  /** How many entities stay in memory; beyond that the one that is idle the longest goes at once. @default 10,000 */
  readonly maxLoaded?: number | undefined;
  /**
   * Whether a reply without events is given only after a look at the table that nobody else has written meanwhile.
   * @default true for a journal with strict fencing, false otherwise
   */
  readonly verifyReads?: boolean | undefined;
  /** Where ids of `context.newId` come from. @default `crypto.randomUUID` */
  readonly newId?: (() => string) | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /**
   * Told of snapshots and deletions that fail in the background; at error level, once for a definition, of states that cannot
   * be stored. @default none
   */
  readonly logger?: Logger | undefined;
}

const checks: OptionChecks<EntitiesOptions> = {
  journal: optionCheck.objectWith(
    "recover",
    "replay",
    "highestSequenceNr",
    "lowestSequenceNr",
    "deleteTo",
    "purge",
  ),
  snapshots: optionCheck.objectWith("save", "load", "keepNewest", "list", "deleteMany"),
  entities: (value) => (Array.isArray(value) ? undefined : "must be a list of definitions"),
  ledger: optionCheck.anything,
  deadlineMs: optionCheck.milliseconds,
  maxConcurrent: optionCheck.wholeNumber(1),
  maxQueue: optionCheck.wholeNumber(1),
  maxPending: optionCheck.wholeNumber(1),
  maxGroup: optionCheck.wholeNumber(1, 80),
  maxConflicts: optionCheck.wholeNumber(0),
  snapshotEvery: optionCheck.wholeNumber(1),
  keepSnapshots: optionCheck.wholeNumber(1),
  deleteCoveredEvents: optionCheck.flag,
  passivateAfterMs: optionCheck.milliseconds,
  maxLoaded: optionCheck.wholeNumber(1),
  verifyReads: optionCheck.flag,
  newId: optionCheck.callable,
  clock: optionCheck.clock,
  random: optionCheck.callable,
  logger: optionCheck.logger,
};

/** The options with their defaults; `snapshots`, `ledger` and `keepSnapshots` may be missing. */
export type ResolvedOptions = {
  readonly [Name in Exclude<
    keyof EntitiesOptions,
    "snapshots" | "ledger" | "keepSnapshots" | "entities"
  >]-?: NonNullable<EntitiesOptions[Name]>;
} & Pick<EntitiesOptions, "snapshots" | "keepSnapshots">;

/** Fills in the defaults and checks what is given. */
export function resolveOptions(options: EntitiesOptions): ResolvedOptions {
  checkOptions(options, checks);
  for (const required of ["journal", "entities"] as const) {
    if (options[required] === undefined) throw optionInvalid(required, "is missing");
  }
  if (
    options.deleteCoveredEvents === true &&
    (options.keepSnapshots === undefined || options.snapshots === undefined)
  )
    throw optionInvalid(
      "deleteCoveredEvents",
      "needs snapshots, and keepSnapshots to tell how many are kept",
    );
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
 * Once events are deleted, only snapshots hold the state. A raised `stateVersion` without `upcastState` ignores the older
 * ones, and every such entity would be unreadable.
 */
function checkStatesReadable(entities: readonly AnyEntity[]): void {
  const unreadable = entities.find(
    ({ stateVersion, upcastState }) => stateVersion > 1 && upcastState === undefined,
  );
  if (unreadable === undefined) return;
  throw optionInvalid(
    "deleteCoveredEvents",
    `needs upcastState in the definition of ${unreadable.type}: its stateVersion is ${unreadable.stateVersion}, and entities with snapshots of an older version would be unreadable`,
  );
}
