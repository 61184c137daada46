import { isDynamoError, type StreamDescription } from "@tablekeep/core";
import { changedError, deniedOr } from "./stream-errors.ts";
import type { StreamSettings } from "./stream-options.ts";

/** A shard as DescribeStream lists it. */
export interface ListedShard {
  readonly id: string;
  /** The shard whose records precede its own. It may no longer be listed. */
  readonly parent?: string;
}

/** The response of DescribeStream. */
export interface ShardList {
  readonly shards: readonly ListedShard[];
  /** Whether the stream still gets records. */
  readonly enabled: boolean;
}

/** AWS: API_streams_DescribeStream — at most ten requests a second. */
const describeIntervalMs = 100;

/** Lists all shards of a stream, page by page. */
export async function listShards(
  settings: StreamSettings,
  signal: AbortSignal,
  pause: (ms: number) => Promise<void>,
): Promise<ShardList> {
  const shards: ListedShard[] = [];
  let from: string | undefined;
  for (;;) {
    const page = await describePage(settings, signal, from);
    for (const { ShardId: id, ParentShardId: parent } of page.Shards ?? []) {
      if (id !== undefined) shards.push({ id, ...(parent !== undefined && { parent }) });
    }
    from = page.LastEvaluatedShardId;
    const enabled = page.StreamStatus === "ENABLED" || page.StreamStatus === "ENABLING";
    if (from === undefined) return { shards, enabled };
    await pause(describeIntervalMs);
  }
}

async function describePage(
  settings: StreamSettings,
  signal: AbortSignal,
  from: string | undefined,
): Promise<StreamDescription> {
  const { port, arn, deadlineMs } = settings;
  try {
    const input = { StreamArn: arn, ...(from !== undefined && { ExclusiveStartShardId: from }) };
    return (await port.describeStream(input, { signal, deadlineMs })).StreamDescription ?? {};
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) {
      throw changedError(arn, await currentStream(settings, signal), false, error);
    }
    throw deniedOr(error, "dynamodb:DescribeStream", arn);
  }
}

/** Returns the ARN of the stream that the table has now; undefined if it has none or it cannot be read. */
export async function currentStream(
  settings: StreamSettings,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { port, tableName, deadlineMs } = settings;
  try {
    const { Table } = await port.describeTable({ TableName: tableName }, { signal, deadlineMs });
    return Table?.StreamSpecification?.StreamEnabled === true ? Table.LatestStreamArn : undefined;
  } catch {
    // It only completes the message of another error.
    return undefined;
  }
}
