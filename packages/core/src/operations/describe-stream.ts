import type { KeySchemaElement, StreamViewType } from "./table-description.ts";

export interface DescribeStreamInput {
  StreamArn: string | undefined;
  Limit?: number | undefined;
  ExclusiveStartShardId?: string | undefined;
  ShardFilter?: ShardFilter | undefined;
}

export interface DescribeStreamOutput {
  StreamDescription?: StreamDescription | undefined;
}

export interface ShardFilter {
  Type?: ShardFilterType | undefined;
  ShardId?: string | undefined;
}

export type ShardFilterType = "CHILD_SHARDS";

export interface StreamDescription {
  StreamArn?: string | undefined;
  StreamLabel?: string | undefined;
  StreamStatus?: StreamStatus | undefined;
  StreamViewType?: StreamViewType | undefined;
  CreationRequestDateTime?: Date | undefined;
  TableName?: string | undefined;
  KeySchema?: KeySchemaElement[] | undefined;
  Shards?: Shard[] | undefined;
  LastEvaluatedShardId?: string | undefined;
}

export type StreamStatus = "ENABLING" | "ENABLED" | "DISABLING" | "DISABLED";

export interface Shard {
  ShardId?: string | undefined;
  SequenceNumberRange?: SequenceNumberRange | undefined;
  ParentShardId?: string | undefined;
}

export interface SequenceNumberRange {
  StartingSequenceNumber?: string | undefined;
  EndingSequenceNumber?: string | undefined;
}
