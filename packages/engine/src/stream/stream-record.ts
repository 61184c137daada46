import type { KeySchemaElement, StreamViewType } from "@tablekeep/core";

/** What is stored of a stream. A table has at most one that is on; those that are off stay for a day. */
export interface StreamRecord {
  /** Four bytes that begin the storage keys of its change records. Never used again. */
  readonly id: string;
  readonly arn: string;
  readonly label: string;
  readonly tableName: string;
  readonly viewType: StreamViewType;
  readonly keySchema: readonly KeySchemaElement[];
  /** In milliseconds. */
  readonly createdAt: number;
  /** Since when it takes no more records, in milliseconds. */
  readonly closedAt?: number | undefined;
  /** The number of the last record that was trimmed. @default 0, none */
  readonly trimmedTo?: number | undefined;
}

/** The one shard of a stream. */
export function shardId({ createdAt, id }: StreamRecord): string {
  const hex = Buffer.from(id, "latin1").toString("hex");
  return `shardId-${String(createdAt).padStart(20, "0")}-${hex}`;
}
