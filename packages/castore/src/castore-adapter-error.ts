import { type EventAlreadyExistsError, eventAlreadyExistsErrorCode } from "@castore/core";
import {
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OptionChecker,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** The event that an error is about; the first one of a group. */
export interface EventAddress {
  readonly eventStoreId: string;
  readonly aggregateId: string;
  readonly version: number;
}

/** The details of each error code. */
export interface CastoreAdapterErrorDetails {
  /** An option is unknown or has an unsuitable value. */
  CASTORE_OPTION_INVALID: { option: string; reason: string };
  /** The events before this version are missing: a journal has no gaps. Nothing was written. */
  CASTORE_VERSION_GAP: EventAddress & { highest: number };
  /** `force` would replace a stored event: a journal never changes one. Nothing was written. */
  CASTORE_FORCE_UNSUPPORTED: EventAddress;
  /** A group that is not one atomic write of consecutive events of one aggregate. Nothing was written. */
  CASTORE_GROUP_UNSUPPORTED: { reason: string };
  /** A stored event is not one that this adapter writes. */
  CASTORE_EVENT_UNEXPECTED: EventAddress & { reason: string };
  /** The event, or all events of the group, may or may not be stored. */
  CASTORE_OUTCOME_UNKNOWN: EventAddress;
}

export type CastoreAdapterErrorCode = keyof CastoreAdapterErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const castoreAdapterErrorKinds: Readonly<Record<CastoreAdapterErrorCode, ErrorKind>> = {
  CASTORE_OPTION_INVALID: "invalid",
  CASTORE_VERSION_GAP: "invalid",
  CASTORE_FORCE_UNSUPPORTED: "invalid",
  CASTORE_GROUP_UNSUPPORTED: "invalid",
  CASTORE_EVENT_UNEXPECTED: "corrupt",
  CASTORE_OUTCOME_UNKNOWN: "unavailable",
};

/**
 * An error of the adapter. A version that is stored already is a {@link TablekeepEventAlreadyExistsError}, and a push that
 * the journal rejects throws the journal's error.
 */
export class CastoreAdapterError<
  Code extends CastoreAdapterErrorCode = CastoreAdapterErrorCode,
> extends TablekeepError<Code, CastoreAdapterErrorDetails[Code]> {
  static {
    nameErrors(CastoreAdapterError, "CastoreAdapterError");
  }

  constructor(
    code: Code,
    message: string,
    details: CastoreAdapterErrorDetails[Code],
    extra: { readonly cause?: unknown } = {},
  ) {
    super({
      code,
      kind: castoreAdapterErrorKinds[code],
      message,
      details,
      ambiguous: code === "CASTORE_OUTCOME_UNKNOWN",
      ...extra,
    });
  }
}

/**
 * Returns whether `error` is a {@link CastoreAdapterError} with this code, and narrows its type.
 *
 * @example
 * if (isCastoreAdapterError(error, "CASTORE_OUTCOME_UNKNOWN")) console.log(error.details.version);
 */
export function isCastoreAdapterError<Code extends CastoreAdapterErrorCode>(
  error: unknown,
  code: Code,
): error is CastoreAdapterError<Code> {
  return isTablekeepError(error, code);
}

/** The version is stored already. castore's commands try again after it. */
export class TablekeepEventAlreadyExistsError extends Error implements EventAlreadyExistsError {
  readonly code: typeof eventAlreadyExistsErrorCode = eventAlreadyExistsErrorCode;
  readonly eventStoreId: string;
  readonly aggregateId: string;
  readonly version: number;

  static {
    nameErrors(TablekeepEventAlreadyExistsError, "TablekeepEventAlreadyExistsError");
  }

  constructor(
    { eventStoreId, aggregateId, version }: EventAddress,
    extra: { readonly cause?: unknown } = {},
  ) {
    super(`${eventStoreId}: version ${version} of ${aggregateId} already exists`, extra);
    this.eventStoreId = eventStoreId;
    this.aggregateId = aggregateId;
    this.version = version;
  }
}

export function optionInvalid(option: string, reason: string): CastoreAdapterError<"CASTORE_OPTION_INVALID"> {
  return new CastoreAdapterError("CASTORE_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** Throws `CASTORE_OPTION_INVALID`, with the option's name, for unknown options and invalid values. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);
