import { callChecks, type OptionChecks, optionCheck } from "@tablekeep/core";
import type { RewindTarget } from "./control/feed-cursors.ts";
import { checkOptions, optionInvalid } from "./projection-error.ts";
import type {
  DropSelection,
  ForceOptions,
  ParkedOptions,
  ParkedSelection,
  VersionOptions,
} from "./projections.ts";
import type { ReachedOptions, ReachedTarget } from "./running-projections.ts";

const version = optionCheck.integer(1);
const force = optionCheck.boolean;

const placeChecks: OptionChecks<NonNullable<DropSelection["event"]>> = {
  slice: optionCheck.integer(0),
  offset: optionCheck.integer(0),
};

const versionChecks: OptionChecks<VersionOptions> = { ...callChecks, version };
const selectionChecks: OptionChecks<ParkedSelection> = { ...versionChecks, persistenceId: optionCheck.id };
const parkedChecks: OptionChecks<ParkedOptions> = { ...selectionChecks, limit: optionCheck.upperBound };
const dropChecks: OptionChecks<DropSelection> = {
  ...selectionChecks,
  all: optionCheck.boolean,
  event: (value) => {
    checkOptions(value, placeChecks, "event");
    return undefined;
  },
};
const forceChecks: OptionChecks<ForceOptions> = { ...callChecks, force };
const removeChecks: OptionChecks<ForceOptions & VersionOptions> = { ...versionChecks, force };

/** The options of the calls that control projections. */
type ControlCall = "call" | "version" | "selection" | "parked" | "drop" | "force" | "remove";

const controlChecks: Readonly<Record<ControlCall, OptionChecks<object>>> = {
  call: callChecks,
  version: versionChecks,
  selection: selectionChecks,
  parked: parkedChecks,
  drop: dropChecks,
  force: forceChecks,
  remove: removeChecks,
};

/** Throws `PROJECTION_OPTION_INVALID` for an invalid name or invalid options. */
export function checkControl(call: ControlCall, name: unknown, options: object): void {
  checkArgument("name", optionCheck.nonEmptyString(name));
  checkControlOptions(call, options);
}

/** Throws `PROJECTION_OPTION_INVALID` for invalid options. */
export function checkControlOptions(call: ControlCall, options: object): void {
  checkOptions(options, controlChecks[call]);
}

/** Throws `PROJECTION_OPTION_INVALID` unless the value is a slice. */
export function checkSlice(slice: unknown): void {
  checkArgument("slice", optionCheck.integer(0)(slice));
}

/** Throws `PROJECTION_OPTION_INVALID` unless the value is a version. */
export function checkVersion(given: unknown): void {
  checkArgument("version", version(given));
}

/** Throws `PROJECTION_OPTION_INVALID` unless the value is a place in a feed: a missing one would mean its start. */
export function checkRewindTarget(to: RewindTarget): void {
  const isPlace =
    to instanceof Date ? !Number.isNaN(to.getTime()) : optionCheck.nonEmptyString(to) === undefined;
  checkArgument("to", isPlace ? undefined : 'must be "start", "end", a position or a valid Date');
}

const targetChecks: OptionChecks<{ persistenceId: string; sequenceNr: number; position: string }> = {
  persistenceId: optionCheck.id,
  sequenceNr: optionCheck.integer(1),
  position: optionCheck.nonEmptyString,
};

const reachedChecks: OptionChecks<ReachedOptions> = {
  signal: callChecks.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** Throws `PROJECTION_OPTION_INVALID` for a target that names neither an event nor a position, or for invalid options. */
export function checkReached(target: ReachedTarget, options: ReachedOptions): void {
  checkOptions(target, targetChecks, "target");
  const { persistenceId, sequenceNr, position } = target as Partial<
    Record<keyof typeof targetChecks, unknown>
  >;
  const isEvent = persistenceId !== undefined && sequenceNr !== undefined;
  const isOne = position === undefined ? isEvent : persistenceId === undefined && sequenceNr === undefined;
  checkArgument("target", isOne ? undefined : "must have a persistenceId and a sequenceNr, or a position");
  checkOptions(options, reachedChecks);
}

function checkArgument(name: string, reason: string | undefined): void {
  if (reason !== undefined) throw optionInvalid(name, reason);
}
