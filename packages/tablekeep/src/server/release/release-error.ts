import { type ErrorKind, nameErrors, TablekeepError } from "@tablekeep/core";

/** What keeps a message from being released, by code. */
export interface ReleaseErrorDetails {
  /** The file of relays cannot be read or understood. */
  RELEASE_RELAYS_INVALID: { path: string; reason: string };
  /** Messages are released only to relays that were configured, and this one was not. */
  RELEASE_RELAY_UNKNOWN: Record<never, never>;
  /** The relay's name leads to an address that it must not lead to. */
  RELEASE_ADDRESS_REFUSED: { relay: string; address: string };
  /** No address to send to, or one that is no address. */
  RELEASE_RECIPIENT_INVALID: Record<never, never>;
  /** The relay did not take the message: surely not sent. */
  RELEASE_REFUSED: { relay: string; responseCode: number };
  /** The relay cannot be reached, or did not answer: ambiguous where the message may be sent. */
  RELEASE_FAILED: { relay: string };
}

export type ReleaseErrorCode = keyof ReleaseErrorDetails;

/** The kind of each code. `docs/reference/errors.md` lists the same. */
export const releaseErrorKinds: Readonly<Record<ReleaseErrorCode, ErrorKind>> = {
  RELEASE_RELAYS_INVALID: "invalid",
  RELEASE_RELAY_UNKNOWN: "denied",
  RELEASE_ADDRESS_REFUSED: "denied",
  RELEASE_RECIPIENT_INVALID: "invalid",
  RELEASE_REFUSED: "invalid",
  RELEASE_FAILED: "unavailable",
};

/** What beside code, message and details such an error may say. */
export interface ReleaseErrorExtra {
  readonly retryable?: boolean;
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** A message that was not released, or may not have been. */
export class ReleaseError<Code extends ReleaseErrorCode = ReleaseErrorCode> extends TablekeepError<
  Code,
  ReleaseErrorDetails[Code]
> {
  static {
    nameErrors(ReleaseError, "ReleaseError");
  }

  constructor(
    code: Code,
    message: string,
    details: ReleaseErrorDetails[Code],
    extra: ReleaseErrorExtra = {},
  ) {
    super({ code, kind: releaseErrorKinds[code], message, details, ...extra });
  }
}
