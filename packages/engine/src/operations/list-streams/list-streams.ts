import type { Operation } from "../operation.ts";

/** AWS: API_streams_ListStreams — the most streams on a page. */
const maxStreams = 100;

export const listStreams: Operation<"ListStreams"> = (database, input) => {
  const { TableName, ExclusiveStartStreamArn: from, Limit = maxStreams } = input;
  const streams = database.streams
    .all()
    .filter(({ tableName }) => TableName === undefined || tableName === TableName)
    .filter(({ arn }) => from === undefined || arn > from);
  const page = streams.slice(0, Limit);
  return {
    Streams: page.map(({ arn, label, tableName }) => ({
      StreamArn: arn,
      StreamLabel: label,
      TableName: tableName,
    })),
    LastEvaluatedStreamArn: page.length < streams.length ? page[page.length - 1]?.arn : undefined,
  };
};
