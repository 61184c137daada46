import {
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OptionChecker,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** The details of each error code. */
export interface ProjectionErrorDetails {
  /** An option is unknown, missing or has an unsuitable value. */
  PROJECTION_OPTION_INVALID: { option: string; reason: string };
  /** The table has no projection of this name, or not this version of it. */
  PROJECTION_UNKNOWN: { table: string; name: string; version?: number };
  /** The feed has another generation or another number of slices than when the projection began. */
  PROJECTION_FEED_CHANGED: { name?: string; version?: number; generation: number; current: number };
  /** The feed does not have the events that a slice has passed: its table was restored to an earlier time. */
  PROJECTION_POSITION_AHEAD: { name: string; version: number; slice: number; offset: number };
  /** The handler needs more actions for one event than one transaction has. */
  PROJECTION_EVENT_TOO_LARGE: {
    name: string;
    persistenceId: string;
    sequenceNr: number;
    actions: number;
    maximum: number;
  };
  /** The handler has two actions on one item for one event that cannot be one. */
  PROJECTION_ACTIONS_OVERLAP: { name: string; persistenceId: string; sequenceNr: number; table: string };
  /** DynamoDB rejects what the handler writes: a condition does not hold, or an action cannot be carried out. */
  PROJECTION_ACTION_REJECTED: {
    name: string;
    persistenceId: string;
    sequenceNr: number;
    table?: string;
    reason: string;
  };
  /** The handler used its transaction after it had returned. */
  PROJECTION_TRANSACTION_ENDED: { name: string };
  /** The handler did not return within its deadline. */
  PROJECTION_HANDLER_TIMEOUT: { name: string; deadlineMs: number };
  /** A version that is to become the current one has not caught up. */
  PROJECTION_BEHIND: { name: string; version: number; events: number };
  /** No event of the slice has stopped the projection, so there is none to skip. */
  PROJECTION_NOT_STOPPED: { name: string; slice: number };
  /** Processes run this version, or readers use it. */
  PROJECTION_IN_USE: { name: string; version: number; runners: readonly string[] };
  /** The position of the projection is stored in the database that its handler writes. */
  PROJECTION_POSITION_EXTERNAL: { name: string };
  /** The item changed too often while it was being changed. */
  PROJECTION_CHANGE_CONTENDED: { name: string; version: number };
  /** The event was parked: the projection has passed it and has not applied it. */
  PROJECTION_EVENT_PARKED: { name: string; persistenceId: string; sequenceNr: number };
  /** The call did not end within its deadline. */
  PROJECTION_DEADLINE_EXCEEDED: { deadlineMs: number };
  /** The caller's signal aborted the call. */
  PROJECTION_ABORTED: Record<never, never>;
}

export type ProjectionErrorCode = keyof ProjectionErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const projectionErrorKinds: Readonly<Record<ProjectionErrorCode, ErrorKind>> = {
  PROJECTION_OPTION_INVALID: "invalid",
  PROJECTION_UNKNOWN: "not-found",
  PROJECTION_FEED_CHANGED: "conflict",
  PROJECTION_POSITION_AHEAD: "corrupt",
  PROJECTION_EVENT_TOO_LARGE: "invalid",
  PROJECTION_ACTIONS_OVERLAP: "invalid",
  PROJECTION_ACTION_REJECTED: "invalid",
  PROJECTION_TRANSACTION_ENDED: "invalid",
  PROJECTION_HANDLER_TIMEOUT: "unavailable",
  PROJECTION_BEHIND: "conflict",
  PROJECTION_NOT_STOPPED: "conflict",
  PROJECTION_IN_USE: "conflict",
  PROJECTION_POSITION_EXTERNAL: "invalid",
  PROJECTION_CHANGE_CONTENDED: "conflict",
  PROJECTION_EVENT_PARKED: "conflict",
  PROJECTION_DEADLINE_EXCEEDED: "unavailable",
  PROJECTION_ABORTED: "aborted",
};

const retryable: ReadonlySet<ProjectionErrorCode> = new Set<ProjectionErrorCode>([
  "PROJECTION_BEHIND",
  "PROJECTION_CHANGE_CONTENDED",
]);

/** An error of a projection. */
export class ProjectionError<Code extends ProjectionErrorCode = ProjectionErrorCode> extends TablekeepError<
  Code,
  ProjectionErrorDetails[Code]
> {
  static {
    nameErrors(ProjectionError, "ProjectionError");
  }

  constructor(code: Code, message: string, details: ProjectionErrorDetails[Code]) {
    super({ code, kind: projectionErrorKinds[code], message, details, retryable: retryable.has(code) });
  }
}

/**
 * Returns whether `error` is a {@link ProjectionError} with this code, and narrows its type.
 *
 * @example
 * if (isProjectionError(error, "PROJECTION_BEHIND")) console.log(error.details.events);
 */
export function isProjectionError<Code extends ProjectionErrorCode>(
  error: unknown,
  code: Code,
): error is ProjectionError<Code> {
  return isTablekeepError(error, code);
}

/** Returns the error for an invalid option. */
export function optionInvalid(option: string, reason: string): ProjectionError<"PROJECTION_OPTION_INVALID"> {
  return new ProjectionError("PROJECTION_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** Throws `PROJECTION_OPTION_INVALID`, with the option's name, for unknown options and invalid values. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);

/** Returns the error for a projection whose feed was rebuilt. */
export function feedChanged(
  generation: number,
  current: number,
  of: { readonly name?: string; readonly version?: number } = {},
): ProjectionError {
  const what = of.name === undefined ? "the projection" : `version ${of.version} of projection ${of.name}`;
  const message = `the feed was rebuilt: ${what} follows generation ${generation}, and the feed has generation ${current} (run the projection with a higher version)`;
  return new ProjectionError("PROJECTION_FEED_CHANGED", message, { ...of, generation, current });
}

/** Returns the error for a slice whose position the feed does not have. */
export function positionAhead(
  { name, version }: { readonly name: string; readonly version: number },
  slice: number,
  offset: number,
): ProjectionError<"PROJECTION_POSITION_AHEAD"> {
  const message = `slice ${slice} of projection ${name} is at offset ${offset}, and the feed does not have the events that it has passed: its table was restored to an earlier time (restore what the projection has written to the same time, or raise its version)`;
  return new ProjectionError("PROJECTION_POSITION_AHEAD", message, { name, version, slice, offset });
}
