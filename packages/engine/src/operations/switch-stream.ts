import type { StreamViewType } from "@tablekeep/core";
import type { TableRecord } from "../catalog/table-model.ts";
import type { Database } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";

/** Returns a table with a new, enabled stream. */
export function withStream(
  database: Database,
  transaction: WriteTransaction,
  table: TableRecord,
  viewType: StreamViewType,
): TableRecord {
  const { TableArn, TableName, KeySchema = [] } = table.description;
  const arnAt = (time: number) => `${TableArn}/stream/${labelOf(time)}`;
  // A clock may return fractions; sequence numbers have none.
  let createdAt = Math.floor(database.clock.now());
  // A stream is named after the time of its creation: two at the same time need different names.
  while (database.streams.latest(transaction, arnAt(createdAt)) !== undefined) createdAt++;
  const arn = arnAt(createdAt);
  const label = labelOf(createdAt);
  const id = database.catalog.newId(transaction);
  database.streams.put(transaction, {
    id,
    arn,
    label,
    tableName: TableName,
    viewType,
    keySchema: KeySchema,
    createdAt,
  });
  return {
    ...table,
    streamId: id,
    description: {
      ...table.description,
      StreamSpecification: { StreamEnabled: true, StreamViewType: viewType },
      LatestStreamArn: arn,
      LatestStreamLabel: label,
    },
  };
}

/** Returns a table without an enabled stream. The former one can be read for another day. */
export function withoutStream(
  database: Database,
  transaction: WriteTransaction,
  table: TableRecord,
): TableRecord {
  const { StreamSpecification: _, ...description } = table.description;
  const stream = database.streams.latest(transaction, description.LatestStreamArn ?? "");
  if (stream !== undefined && stream.id === table.streamId) {
    database.streams.put(transaction, { ...stream, closedAt: database.clock.now() });
  }
  return { ...table, streamId: undefined, description };
}

function labelOf(time: number): string {
  return new Date(time).toISOString().slice(0, -1);
}
