import type { ChangeRecord, DynamoPort, StreamViewType } from "@tablekeep/core";
import { same } from "./expectations.ts";
import type { PortWorld } from "./port-case.ts";
import { ownTable } from "./sample-rows.ts";

/** A table and its stream. */
export interface StreamedTable {
  readonly TableName: string;
  readonly StreamArn: string;
}

/** Creates a table with a stream of this view type. */
export async function streamed(world: PortWorld, StreamViewType: StreamViewType): Promise<StreamedTable> {
  const TableName = await ownTable(world, { StreamSpecification: { StreamEnabled: true, StreamViewType } });
  const { Table } = await world.port.describeTable({ TableName });
  return { TableName, StreamArn: Table?.LatestStreamArn ?? "" };
}

/** The shards of a stream. */
export async function shardIds(port: DynamoPort, StreamArn: string): Promise<string[]> {
  const { StreamDescription } = await port.describeStream({ StreamArn });
  return (StreamDescription?.Shards ?? []).map((shard) => shard.ShardId ?? "");
}

/** Reads from an iterator until it returns no more records for now. */
export async function readOn(port: DynamoPort, iterator: string | undefined): Promise<ChangeRecord[]> {
  const records: ChangeRecord[] = [];
  let ShardIterator = iterator;
  for (let round = 0; round < 20 && ShardIterator !== undefined; round++) {
    const page = await port.getRecords({ ShardIterator });
    records.push(...(page.Records ?? []));
    if (page.Records?.length === 0 && round > 0) break;
    ShardIterator = page.NextShardIterator;
  }
  return records;
}

/** The records of all shards from the beginning, once there are `count` of them. */
export async function changes(world: PortWorld, StreamArn: string, count: number): Promise<ChangeRecord[]> {
  let records: ChangeRecord[] = [];
  await world.eventually(`the stream has ${count} records`, async () => {
    records = [];
    for (const ShardId of await shardIds(world.port, StreamArn)) {
      const from = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
      const { ShardIterator } = await world.port.getShardIterator(from);
      records.push(...(await readOn(world.port, ShardIterator)));
    }
    return records.length >= count;
  });
  same(records.length, count);
  return records;
}
