import { tableNotFound } from "../catalog/catalog.ts";
import type { TableRecord } from "../catalog/table-model.ts";
import { expiryRegion } from "../change/expiry-entries.ts";
import type { Database, Operation } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { invalid } from "../values/dynamo-errors.ts";

export const updateTimeToLive: Operation<"UpdateTimeToLive"> = (database, input) =>
  database.writes.submit((transaction) => {
    const record = database.catalog.latestOrThrow(transaction, input.TableName ?? "");
    const { Enabled = false, AttributeName = "" } = input.TimeToLiveSpecification ?? {};
    checkChange(record, Enabled, AttributeName);
    const changed = Enabled
      ? withExpiry(database, transaction, record, AttributeName)
      : withoutExpiry(database, transaction, record);
    database.catalog.put(transaction, changed);
    transaction.onCommitted(() => database.background.scheduleSweep());
    return { TimeToLiveSpecification: { Enabled, AttributeName } };
  });

function checkChange({ timeToLive }: TableRecord, enable: boolean, attribute: string): void {
  if (timeToLive === undefined) {
    if (!enable) throw invalid("TimeToLive is already disabled");
    return;
  }
  if (timeToLive.attribute !== attribute) {
    throw invalid(
      `TimeToLive is active on a different AttributeName: current AttributeName is ${timeToLive.attribute}`,
    );
  }
  if (enable) throw invalid("TimeToLive is already enabled");
}

function withExpiry(
  database: Database,
  transaction: WriteTransaction,
  record: TableRecord,
  attribute: string,
): TableRecord {
  const id = database.catalog.newId(transaction);
  const { TableName: tableName } = record.description;
  database.background.add(transaction, { kind: "fill-expiry", tableName, expiryId: id, cursor: "" });
  return { ...record, timeToLive: { attribute, id, filled: false } };
}

function withoutExpiry(
  database: Database,
  transaction: WriteTransaction,
  { timeToLive, ...record }: TableRecord,
): TableRecord {
  const prefixes = timeToLive === undefined ? [] : [expiryRegion(timeToLive)];
  database.background.add(transaction, { kind: "drop", prefixes, keys: [] });
  return record;
}

export const describeTimeToLive: Operation<"DescribeTimeToLive"> = (database, { TableName = "" }) => {
  const table = database.catalog.find(TableName);
  if (table === undefined) throw tableNotFound(TableName);
  const { timeToLive } = table.record;
  if (timeToLive === undefined) return { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } };
  return {
    TimeToLiveDescription: {
      TimeToLiveStatus: timeToLive.filled ? "ENABLED" : "ENABLING",
      AttributeName: timeToLive.attribute,
    },
  };
};
