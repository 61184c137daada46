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
