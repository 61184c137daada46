import type { AttributeValue } from "../attribute-value.ts";
import type { StreamViewType } from "./table-description.ts";

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
