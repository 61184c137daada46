/** Milliseconds that the times of records are rounded down to: DynamoDB Local rounds to minutes, other backends to seconds. */
function stepOf(streamArn: string): number {
  return streamArn.includes(":dynamodb:ddblocal:") ? 60_000 : 1_000;
}

/**
 * The time that records of a stream have if they were created at `time`, in milliseconds since 1970. Some records with it are up to a step older.
 */
export function recordTime(streamArn: string, time: number): number {
  const step = stepOf(streamArn);
  return Math.floor(time / step) * step;
}
