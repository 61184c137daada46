import { checkPort, type DynamoPort, isDynamoError, type StreamViewType } from "@tablekeep/core";
import { FeedError, optionInvalid } from "../feed-error.ts";
import type { ChangeSource } from "./change-source.ts";
import { checkViewType, describeStreamTable } from "./ensure-stream.ts";
import { readShards } from "./read-shards.ts";
import { changedError, deniedOr } from "./stream-errors.ts";
import { checkStreamOptions, type StreamSourceOptions, streamSettings } from "./stream-options.ts";

/**
 * Opens the stream of a table for reading. Throws `FEED_STREAM_MISSING` if the table has none, and `FEED_STREAM_VIEW_UNSUITABLE` if
 * its records lack what `needs` names.
 *
 * @example
 * const source = await openStreamSource(port, { tableName: "journal" });
 * for await (const { records } of source.read(new Map(), { signal })) console.log(records);
 */
export async function openStreamSource(
  port: DynamoPort,
  options: StreamSourceOptions,
): Promise<ChangeSource> {
  checkPort(port, optionInvalid);
  checkStreamOptions(options);
  const { arn, viewType } = await findStream(port, options);
  checkViewType(arn, viewType, options.needs ?? "keys");
  const settings = streamSettings(port, arn, options);
  const view = viewType === "KEYS_ONLY" ? "keys" : "image";
  return { arn, view, read: (from, how) => readShards(settings, from, how) };
}

async function findStream(
  port: DynamoPort,
  { tableName, streamArn, deadlineMs }: StreamSourceOptions,
): Promise<{ arn: string; viewType: StreamViewType | undefined }> {
  if (streamArn !== undefined) return describeGiven(port, streamArn, deadlineMs);
  const table = await describeStreamTable(port, tableName, { deadlineMs });
  const { StreamSpecification: specification, LatestStreamArn: arn } = table;
  if (specification?.StreamEnabled !== true || arn === undefined) {
    throw new FeedError(
      "FEED_STREAM_MISSING",
      `table ${tableName} has no stream; enable one with the view type NEW_IMAGE or KEYS_ONLY, for example with ensureStream`,
      { tableName },
    );
  }
  return { arn, viewType: specification.StreamViewType };
}

async function describeGiven(
  port: DynamoPort,
  arn: string,
  deadlineMs: number | undefined,
): Promise<{ arn: string; viewType: StreamViewType | undefined }> {
  try {
    const { StreamDescription } = await port.describeStream({ StreamArn: arn, Limit: 1 }, { deadlineMs });
    return { arn, viewType: StreamDescription?.StreamViewType };
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) throw changedError(arn, undefined, false, error);
    throw deniedOr(error, "dynamodb:DescribeStream", arn);
  }
}
