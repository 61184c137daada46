import { EmmettError } from "@event-driven-io/emmett";
import {
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OptionChecker,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** The details of each error code. */
export interface EmmettStoreErrorDetails {
  /** An option is unknown or has an unsuitable value. */
  EMMETT_OPTION_INVALID: { option: string; reason: string };
  /** A stored event is not one that this store writes. */
  EMMETT_EVENT_UNEXPECTED: { streamName: string; streamPosition: bigint; reason: string };
  /** The events may or may not be stored: look for their message ids in the stream. */
  EMMETT_OUTCOME_UNKNOWN: { streamName: string; messageIds: readonly string[] };
}

export type EmmettStoreErrorCode = keyof EmmettStoreErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const emmettStoreErrorKinds: Readonly<Record<EmmettStoreErrorCode, ErrorKind>> = {
  EMMETT_OPTION_INVALID: "invalid",
  EMMETT_EVENT_UNEXPECTED: "corrupt",
  EMMETT_OUTCOME_UNKNOWN: "unavailable",
};

/**
 * An error of the event store. Version conflicts are emmett's `ExpectedVersionConflictError`, and an append that the
 * journal rejects throws the journal's error.
 */
export class EmmettStoreError<
  Code extends EmmettStoreErrorCode = EmmettStoreErrorCode,
> extends TablekeepError<Code, EmmettStoreErrorDetails[Code]> {
  /** The HTTP status that emmett responds with; `EmmettError.isInstanceOf` accepts errors that have one. */
  readonly errorCode: number;

  static {
    nameErrors(EmmettStoreError, "EmmettStoreError");
  }

  constructor(
    code: Code,
    message: string,
    details: EmmettStoreErrorDetails[Code],
    extra: { readonly cause?: unknown } = {},
  ) {
    super({
      code,
      kind: emmettStoreErrorKinds[code],
      message,
      details,
      ambiguous: code === "EMMETT_OUTCOME_UNKNOWN",
      ...extra,
    });
    const { ValidationError, InternalServerError } = EmmettError.Codes;
    this.errorCode = code === "EMMETT_OPTION_INVALID" ? ValidationError : InternalServerError;
  }
}

/**
 * Returns whether `error` is an {@link EmmettStoreError} with this code, and narrows its type.
 *
 * @example
 * if (isEmmettStoreError(error, "EMMETT_OUTCOME_UNKNOWN")) console.log(error.details.messageIds);
 */
export function isEmmettStoreError<Code extends EmmettStoreErrorCode>(
  error: unknown,
  code: Code,
): error is EmmettStoreError<Code> {
  return isTablekeepError(error, code);
}

export function optionInvalid(option: string, reason: string): EmmettStoreError<"EMMETT_OPTION_INVALID"> {
  return new EmmettStoreError("EMMETT_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** Throws `EMMETT_OPTION_INVALID`, with the option's name, for unknown options and invalid values. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);
