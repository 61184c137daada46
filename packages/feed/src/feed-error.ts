import {
  type ErrorKind,
  isTablekeepError,
  type Key,
  nameErrors,
  type OptionChecker,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** The details of each error code. */
export interface FeedErrorDetails {
  /** An option is unknown, missing or has an unsuitable value. */
  FEED_OPTION_INVALID: { option: string; reason: string };
  /** The table has no stream. */
  FEED_STREAM_MISSING: { tableName: string };
  /** The stream's records do not contain the new image of an item, or not even its keys. */
  FEED_STREAM_VIEW_UNSUITABLE: { streamArn: string; viewType: string | undefined };
  /** The stream was disabled. `complete`: all its records were read. `currentArn`: the stream that the table has now. */
  FEED_STREAM_RESTORED: { streamArn: string };
  FEED_STREAM_CHANGED: { streamArn: string; currentArn: string | undefined; complete: boolean };
  /** Records after a position were removed before they were read. */
  FEED_STREAM_TRIMMED: { streamArn: string; shard: string; sequence: string | undefined };
  /** Reading the stream, or enabling it, is not permitted. */
  FEED_STREAM_DENIED: { action: string; resource: string };
  /** The stream's response, or an event of AWS Lambda, is not in the format that AWS documents. */
  FEED_RECORD_INVALID: { path: string; reason: string };
  /** The table has no feed of this name. */
  FEED_UNKNOWN: { table: string; feed: string };
  /** Not a position of this feed. */
  FEED_POSITION_INVALID: { position: string; reason: string };
  /** A position of another generation of the feed. */
  FEED_POSITION_OUTDATED: { generation: number; current: number };
  /** A page of the feed is corrupt. */
  FEED_PAGE_CORRUPT: { slice: number; page: number; reason: string };
  /** The stored record or checkpoint of the feed is corrupt. */
  FEED_ITEM_CORRUPT: { table: string; key: Key; reason: string };
  /** The caller's signal aborted the call. */
  FEED_ABORTED: Record<never, never>;
}

export type FeedErrorCode = keyof FeedErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const feedErrorKinds: Readonly<Record<FeedErrorCode, ErrorKind>> = {
  FEED_OPTION_INVALID: "invalid",
  FEED_STREAM_MISSING: "not-found",
  FEED_STREAM_VIEW_UNSUITABLE: "invalid",
  FEED_STREAM_RESTORED: "conflict",
  FEED_STREAM_CHANGED: "conflict",
  FEED_STREAM_TRIMMED: "not-found",
  FEED_STREAM_DENIED: "denied",
  FEED_RECORD_INVALID: "corrupt",
  FEED_UNKNOWN: "not-found",
  FEED_POSITION_INVALID: "invalid",
  FEED_POSITION_OUTDATED: "conflict",
  FEED_PAGE_CORRUPT: "corrupt",
  FEED_ITEM_CORRUPT: "corrupt",
  FEED_ABORTED: "aborted",
};

/** An error of a feed. */
export class FeedError<Code extends FeedErrorCode = FeedErrorCode> extends TablekeepError<
  Code,
  FeedErrorDetails[Code]
> {
  static {
    nameErrors(FeedError, "FeedError");
  }

  constructor(
    code: Code,
    message: string,
    details: FeedErrorDetails[Code],
    extra: { readonly cause?: unknown } = {},
  ) {
    super({ code, kind: feedErrorKinds[code], message, details, ...extra });
  }
}

/**
 * Returns whether `error` is a {@link FeedError} with this code, and narrows its type.
 *
 * @example
 * if (isFeedError(error, "FEED_STREAM_TRIMMED")) console.log(error.details.shard);
 */
export function isFeedError<Code extends FeedErrorCode>(
  error: unknown,
  code: Code,
): error is FeedError<Code> {
  return isTablekeepError(error, code);
}

/** Returns the error for an unsuitable option. `reason` continues the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): FeedError<"FEED_OPTION_INVALID"> {
  return new FeedError("FEED_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** Throws `FEED_OPTION_INVALID`, with the option's name, for unknown options and invalid values. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);

/** Returns the error for a position of another generation. */
export function positionOutdated(generation: number, current: number): FeedError<"FEED_POSITION_OUTDATED"> {
  return new FeedError(
    "FEED_POSITION_OUTDATED",
    `the position belongs to generation ${generation} of the feed, which is now at generation ${current} (read from the start, or from a time)`,
    { generation, current },
  );
}
