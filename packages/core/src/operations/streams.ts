import type { AttributeValue } from "../values/attribute-value.ts";
import type { KeySchemaElement, StreamViewType } from "./table-description.ts";

export interface ListStreamsInput {
  TableName?: string | undefined;
  Limit?: number | undefined;
  ExclusiveStartStreamArn?: string | undefined;
}

export interface ListStreamsOutput {
  Streams?: Stream[] | undefined;
  LastEvaluatedStreamArn?: string | undefined;
}

export interface Stream {
  StreamArn?: string | undefined;
  TableName?: string | undefined;
  StreamLabel?: string | undefined;
}

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

export interface GetShardIteratorInput {
  StreamArn: string | undefined;
  ShardId: string | undefined;
  ShardIteratorType: ShardIteratorType | undefined;
  SequenceNumber?: string | undefined;
}

export interface GetShardIteratorOutput {
  ShardIterator?: string | undefined;
}

export type ShardIteratorType = "TRIM_HORIZON" | "LATEST" | "AT_SEQUENCE_NUMBER" | "AFTER_SEQUENCE_NUMBER";

export interface GetRecordsInput {
  ShardIterator: string | undefined;
  Limit?: number | undefined;
}

export interface GetRecordsOutput {
  Records?: ChangeRecord[] | undefined;
  NextShardIterator?: string | undefined;
}

export interface ChangeRecord {
  eventID?: string | undefined;
  eventName?: OperationType | undefined;
  eventVersion?: string | undefined;
  eventSource?: string | undefined;
  awsRegion?: string | undefined;
  dynamodb?: StreamRecord | undefined;
  userIdentity?: Identity | undefined;
}

export type OperationType = "INSERT" | "MODIFY" | "REMOVE";

export interface StreamRecord {
  ApproximateCreationDateTime?: Date | undefined;
  Keys?: Record<string, AttributeValue> | undefined;
  NewImage?: Record<string, AttributeValue> | undefined;
  OldImage?: Record<string, AttributeValue> | undefined;
  SequenceNumber?: string | undefined;
  SizeBytes?: number | undefined;
  StreamViewType?: StreamViewType | undefined;
}

export interface Identity {
  PrincipalId?: string | undefined;
  Type?: string | undefined;
}
