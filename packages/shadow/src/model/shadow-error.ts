import {
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OptionChecker,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** A version that differs from the expected one. */
export interface VersionConflict {
  /** The item: the combined one, or the half that is stored separately. */
  readonly kind: RowKind;
  /** The expected version; undefined for any. */
  readonly expected: number | undefined;
  /** The current version; undefined if there is none. */
  readonly current: number | undefined;
}

/** Details of each error, by code. */
export interface ShadowErrorDetails {
  /** An option that is unknown, missing or invalid. */
  SHADOW_OPTION_INVALID: { option: string; reason: string };
  /** An invalid operation, such as a combined write of one half or an invalid version. */
  SHADOW_OPERATION_INVALID: { id: string; name: string; reason: string };
  /** A value that cannot be stored, such as a number that is too large, a function, or an empty key. */
  SHADOW_VALUE_INVALID: {
    /** The place in the document, as a JSON pointer. */
    path: string;
    reason: string;
  };
  /** A request document that AWS IoT rejects; the message is AWS's. */
  SHADOW_REQUEST_INVALID: { reason: string };
  /** Bytes that are not UTF-8. */
  SHADOW_ENCODING_INVALID: Record<never, never>;
  SHADOW_NOT_FOUND: { id: string; name: string };
  /** The shadow has another version than expected, or exists although it must not. */
  SHADOW_VERSION_CONFLICT: { id: string; name: string; conflicts: readonly VersionConflict[] };
  /** The shadow exists in the other model: as one item, or as two halves. */
  SHADOW_DUPLICATE_MODEL: { id: string; name: string; standing: "combined" | "separate" };
  /** DynamoDB left the item unprocessed in every attempt. */
  SHADOW_READ_INCOMPLETE: { attempts: number };
  /** Other writes came first in every attempt. */
  SHADOW_CONTENTION: { id: string; name: string; attempts: number };
  /** The document, or the item that would hold it, is too large. */
  SHADOW_TOO_LARGE: {
    id: string;
    name: string;
    /** Bytes. */
    actual: number;
    /** Bytes. */
    maximum: number;
  };
  /** The document is nested too deeply. */
  SHADOW_TOO_DEEP: { maximum: number };
  /** An item in no known format. */
  SHADOW_ITEM_CORRUPT: { id: string; name: string; attribute: string; reason: string };
  /** A version that a JavaScript number does not hold exactly. */
  SHADOW_VERSION_UNSAFE: { id: string; name: string; version: string };
  /** No response in time: the write may be stored. */
  SHADOW_OUTCOME_UNKNOWN: { id: string; name: string };
  /** The shadow would not match the schema of its thing. */
  SHADOW_SCHEMA_VIOLATION: {
    id: string;
    name: string;
    /** The place in the state, as a JSON pointer: `/reported/on`. */
    path: string;
    reason: string;
    /** The schema and its version. */
    schema: string;
  };
  /** A query of shadows that cannot be parsed. */
  SHADOW_QUERY_INVALID: {
    query: string;
    /** The character where it is invalid, from 1. */
    position: number;
    reason: string;
  };
  /** A group that does not exist. */
  SHADOW_GROUP_NOT_FOUND: { group: string };
  /** A group of the other kind: static groups have things, dynamic ones a query. */
  SHADOW_GROUP_KIND: { group: string; kind: "static" | "dynamic" };
  /** A rollout that does not exist. */
  SHADOW_ROLLOUT_NOT_FOUND: { rollout: string };
  /** Another rollout has this name. */
  SHADOW_ROLLOUT_EXISTS: { rollout: string };
  /** A rollout in a phase that cannot change to the requested one. */
  SHADOW_ROLLOUT_PHASE: { rollout: string; phase: string };
  /** The store keeps no history. */
  SHADOW_HISTORY_OFF: { id: string; name: string };
  /** The history does not contain the state of the shadow at this time. */
  SHADOW_HISTORY_GAP: {
    id: string;
    name: string;
    /** The version before the gap; undefined if the history begins later. */
    after: number | undefined;
    /** The version after the gap; undefined if the shadow was deleted. */
    before: number | undefined;
    /** The requested version, which is not kept; undefined if a time was requested. */
    version?: number;
  };
  /** A watcher did not keep up with the changes. */
  SHADOW_FEED_OVERFLOW: { waiting: number };
  /** The cloud that shadows are synced with rejects a request permanently. */
  SHADOW_CLOUD_REJECTED: { status: number; reason: string };
  /** The cloud that shadows are synced with cannot be reached, is overloaded, or does not respond in time. */
  SHADOW_CLOUD_UNAVAILABLE: { status: number | undefined; reason: string };
  /** A file that is not an export of shadows, or a truncated one. */
  SHADOW_EXPORT_INVALID: { line: number; reason: string };
}

export type ShadowErrorCode = keyof ShadowErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const shadowErrorKinds: Readonly<Record<ShadowErrorCode, ErrorKind>> = {
  SHADOW_OPTION_INVALID: "invalid",
  SHADOW_OPERATION_INVALID: "invalid",
  SHADOW_VALUE_INVALID: "invalid",
  SHADOW_REQUEST_INVALID: "invalid",
  SHADOW_ENCODING_INVALID: "invalid",
  SHADOW_NOT_FOUND: "not-found",
  SHADOW_VERSION_CONFLICT: "conflict",
  SHADOW_DUPLICATE_MODEL: "conflict",
  SHADOW_READ_INCOMPLETE: "throttled",
  SHADOW_CONTENTION: "conflict",
  SHADOW_TOO_LARGE: "limit",
  SHADOW_TOO_DEEP: "limit",
  SHADOW_ITEM_CORRUPT: "corrupt",
  SHADOW_VERSION_UNSAFE: "limit",
  SHADOW_OUTCOME_UNKNOWN: "unavailable",
  SHADOW_SCHEMA_VIOLATION: "invalid",
  SHADOW_QUERY_INVALID: "invalid",
  SHADOW_GROUP_NOT_FOUND: "not-found",
  SHADOW_GROUP_KIND: "conflict",
  SHADOW_ROLLOUT_NOT_FOUND: "not-found",
  SHADOW_ROLLOUT_EXISTS: "conflict",
  SHADOW_ROLLOUT_PHASE: "conflict",
  SHADOW_HISTORY_OFF: "invalid",
  SHADOW_HISTORY_GAP: "not-found",
  SHADOW_FEED_OVERFLOW: "limit",
  SHADOW_CLOUD_REJECTED: "invalid",
  SHADOW_CLOUD_UNAVAILABLE: "unavailable",
  SHADOW_EXPORT_INVALID: "invalid",
};

/** Optional properties of an error. */
export interface ShadowErrorExtra {
  /** The write may have been applied. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** An error of this package. */
export class ShadowError<Code extends ShadowErrorCode = ShadowErrorCode> extends TablekeepError<
  Code,
  ShadowErrorDetails[Code]
> {
  static {
    nameErrors(ShadowError, "ShadowError");
  }

  constructor(code: Code, message: string, details: ShadowErrorDetails[Code], extra: ShadowErrorExtra = {}) {
    super({
      code,
      kind: shadowErrorKinds[code],
      message,
      details,
      retryable: code === "SHADOW_CONTENTION" || code === "SHADOW_READ_INCOMPLETE",
      ...extra,
    });
  }
}

/**
 * Returns whether `error` is an error of this package with this code.
 *
 * @example
 * if (isShadowError(error, "SHADOW_VERSION_CONFLICT")) console.log(error.details.conflicts);
 */
export function isShadowError<Code extends ShadowErrorCode>(
  error: unknown,
  code: Code,
): error is ShadowError<Code> {
  return isTablekeepError(error, code);
}

/** The contents of an item: both halves of a shadow, or one of them. */
export type RowKind = "combined" | "reported" | "desired";

/** One half of a shadow: the reported or the desired state. */
export type Half = "reported" | "desired";

/** How a shadow is stored: both halves in one item, or each in its own. */
export type ShadowModel = "combined" | "separate";

/** Throws `SHADOW_OPTION_INVALID`, which names the option, for unknown options and invalid values. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);

/** The error for an invalid option. `reason` continues the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): ShadowError<"SHADOW_OPTION_INVALID"> {
  return new ShadowError("SHADOW_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
