import { countsKey } from "../catalog/counts.ts";
import { tableDescription } from "../catalog/describe-table.ts";
import { regionOf } from "../catalog/storage-keys.ts";
import { type TableRecord, tableModel } from "../catalog/table-model.ts";
import { expiryRegion } from "../change/expiry-entries.ts";
import type { Operation } from "../database/database.ts";
import { dynamoError, invalid } from "../values/dynamo-errors.ts";
import { withoutStream } from "./switch-stream.ts";

export const deleteTable: Operation<"DeleteTable"> = (database, { TableName = "" }) =>
  database.writes.submit((transaction) => {
    const record = database.catalog.latestOrThrow(transaction, TableName);
    checkDeletable(record);
    const answer = {
      TableDescription: { ...tableDescription(transaction, record), TableStatus: "DELETING" },
    };
    database.catalog.delete(transaction, TableName);
    withoutStream(database, transaction, record);
    database.background.add(transaction, {
      kind: "drop",
      prefixes: regionsOf(record),
      keys: [countsKey(record.id)],
    });
    return answer;
  });

function checkDeletable({ description }: TableRecord): void {
  if (description.DeletionProtectionEnabled) {
    throw invalid(
      "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
    );
  }
  if (description.GlobalSecondaryIndexes?.some(({ IndexStatus }) => IndexStatus !== "ACTIVE")) {
    throw dynamoError(
      "ResourceInUseException",
      "Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, " +
        "updated, or deleted.",
    );
  }
}

/**
 * Returns the prefixes of everything that belongs to a table: items, index entries, expiry entries. Its change
 * records are kept for a day.
 */
function regionsOf(record: TableRecord): string[] {
  const table = tableModel(record);
  const regions = [regionOf(table), ...table.indexes.map(regionOf)];
  return record.timeToLive === undefined ? regions : [...regions, expiryRegion(record.timeToLive)];
}
