import {
  type Clock,
  checkPort,
  type DynamoPort,
  isDynamoError,
  isTablekeepError,
  type OptionChecks,
  optionCheck,
  type StreamViewType,
  sleep,
  systemClock,
  type TableDescription,
} from "@tablekeep/core";
import { checkOptions, FeedError, optionInvalid } from "../feed-error.ts";
import { deniedOr } from "./stream-errors.ts";

/** Options of {@link ensureStream}. */
export interface EnsureStreamOptions {
  /** What the records of an existing stream must contain. @default what `viewType` contains */
  readonly needs?: "keys" | "image";
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Milliseconds until the call ends. @default 120,000 */
  readonly deadlineMs?: number;
  /** The source of time. @default the machine's clock */
  readonly clock?: Clock;
}

/** A table's stream. */
export interface EnsuredStream {
  readonly arn: string;
  readonly viewType: StreamViewType;
  /** Whether this call enabled it. */
  readonly enabled: boolean;
}

const optionChecks: OptionChecks<EnsureStreamOptions> = {
  needs: optionCheck.oneOf("keys", "image"),
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
  clock: optionCheck.clock,
};

/** The first and the longest wait before the table is described again. */
const describeWaits = { first: 10, longest: 500 };

/**
 * Enables a stream on a table that has none, and waits until it can be read. An existing stream is never replaced, because others
 * may read it: throws `FEED_STREAM_VIEW_UNSUITABLE` if its records contain less than needed.
 *
 * @example
 * const { arn } = await ensureStream(port, "journal", "NEW_IMAGE");
 */
export async function ensureStream(
  port: DynamoPort,
  tableName: string,
  viewType: "KEYS_ONLY" | "NEW_IMAGE" | "NEW_AND_OLD_IMAGES",
  options: EnsureStreamOptions = {},
): Promise<EnsuredStream> {
  checkPort(port, optionInvalid);
  checkOptions(options, optionChecks);
  const { signal, deadlineMs = 120_000, clock = systemClock } = options;
  const needs = options.needs ?? (viewType === "KEYS_ONLY" ? "keys" : "image");
  const endsAt = clock.monotonic() + deadlineMs;
  const call = () => ({ signal, deadlineMs: Math.max(1, endsAt - clock.monotonic()) });
  let enabled = false;
  let rejection: unknown;
  for (let waitMs = describeWaits.first; ; waitMs = Math.min(describeWaits.longest, 2 * waitMs)) {
    const table = await describeStreamTable(port, tableName, call());
    const { StreamSpecification: stream, LatestStreamArn: arn, TableStatus } = table;
    if (stream?.StreamEnabled === true && arn !== undefined && TableStatus === "ACTIVE") {
      checkViewType(arn, stream.StreamViewType, needs);
      return { arn, viewType: stream.StreamViewType ?? viewType, enabled };
    }
    if (stream?.StreamEnabled !== true && TableStatus === "ACTIVE") {
      rejection = await enable(port, tableName, viewType, call());
      enabled ||= rejection === undefined;
    }
    if (clock.monotonic() + waitMs >= endsAt) throw notEnabled(tableName, deadlineMs, rejection);
    await sleep(clock, waitMs, signal).catch((cause: unknown) =>
      Promise.reject(abortedError(tableName, cause)),
    );
  }
}

/** Returns the description of a table, or throws `FEED_STREAM_DENIED` or the port's error. */
export async function describeStreamTable(
  port: DynamoPort,
  tableName: string,
  call: { readonly signal?: AbortSignal; readonly deadlineMs?: number },
): Promise<TableDescription> {
  try {
    return (await port.describeTable({ TableName: tableName }, call)).Table ?? {};
  } catch (error) {
    throw deniedOr(error, "dynamodb:DescribeTable", tableName);
  }
}

/** Sends UpdateTable. Returns the error if describing the table shows the outcome. */
async function enable(
  port: DynamoPort,
  tableName: string,
  viewType: StreamViewType,
  call: { readonly signal?: AbortSignal; readonly deadlineMs?: number },
): Promise<unknown> {
  const specification = { StreamEnabled: true, StreamViewType: viewType };
  try {
    await port.updateTable({ TableName: tableName, StreamSpecification: specification }, call);
    return undefined;
  } catch (error) {
    // Another process may have been first: DynamoDB reports that, too, as ValidationException.
    const passing = ["ResourceInUseException", "LimitExceededException", "ValidationException"] as const;
    if (passing.some((name) => isDynamoError(error, name))) return error;
    if (isTablekeepError(error) && error.ambiguous && error.kind !== "aborted") return error;
    throw deniedOr(error, "dynamodb:UpdateTable", tableName);
  }
}

const suitable: Readonly<Record<"keys" | "image", readonly (StreamViewType | undefined)[]>> = {
  keys: ["KEYS_ONLY", "NEW_IMAGE", "NEW_AND_OLD_IMAGES"],
  image: ["NEW_IMAGE", "NEW_AND_OLD_IMAGES"],
};

/** Throws `FEED_STREAM_VIEW_UNSUITABLE` if records of this type lack what is needed. */
export function checkViewType(
  streamArn: string,
  viewType: StreamViewType | undefined,
  needs: "keys" | "image",
): void {
  if (suitable[needs].includes(viewType)) return;
  throw new FeedError(
    "FEED_STREAM_VIEW_UNSUITABLE",
    `stream ${streamArn} has the view type ${viewType ?? "unknown"}; disable it and enable one with ${suitable[needs].join(" or ")}`,
    { streamArn, viewType },
  );
}

function abortedError(tableName: string, cause: unknown): FeedError<"FEED_ABORTED"> {
  return new FeedError(
    "FEED_ABORTED",
    `the caller aborted the call while the stream of table ${tableName} was being enabled`,
    {},
    { cause },
  );
}

function notEnabled(tableName: string, deadlineMs: number, cause: unknown): FeedError<"FEED_STREAM_MISSING"> {
  return new FeedError(
    "FEED_STREAM_MISSING",
    `no stream could be enabled on table ${tableName} within ${deadlineMs} ms: retry, or raise deadlineMs`,
    { tableName },
    { cause },
  );
}
