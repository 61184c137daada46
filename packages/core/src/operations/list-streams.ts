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
