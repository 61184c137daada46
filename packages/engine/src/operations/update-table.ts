import type { SSESpecification, TableDescription, UpdateTableInput } from "@tablekeep/core";
import { encryptionDescription, tableDescription } from "../catalog/describe-table.ts";
import type { StoredTableDescription, TableRecord } from "../catalog/table-model.ts";
import { changeWarmThroughput, withWarmThroughput } from "../catalog/warm-throughput.ts";
import type { Database, Operation } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { invalid, invalidParameter } from "../values/dynamo-errors.ts";
import { checkUpdateTable } from "./check-update-table.ts";
import { withoutStream, withStream } from "./switch-stream.ts";
import { withIndex, withoutIndex } from "./update-indexes.ts";
import { withIndexThroughput, withThroughput } from "./update-throughput.ts";

export const updateTable: Operation<"UpdateTable"> = (database, input) => {
  checkUpdateTable(input);
  return database.writes.submit((transaction) => {
    const before = database.catalog.latestOrThrow(transaction, input.TableName ?? "");
    const now = database.clock.now();
    const settled = withSettings(database, withWarmThroughput(before.description), input, now);
    const description = withThroughput(settled, input, now);
    const streamed = applyStreamChange(database, transaction, { ...before, description }, input);
    const changed = applyIndexChanges(database, transaction, streamed, input, now);
    const after = { ...changed, description: withWarmThroughput(changed.description) };
    database.catalog.put(transaction, after);
    transaction.onCommitted(() => database.background.scheduleSweep());
    return { TableDescription: describeChange(transaction, before, after) };
  });
};

function withSettings(
  database: Database,
  description: StoredTableDescription,
  input: UpdateTableInput,
  now: number,
): StoredTableDescription {
  const { DeletionProtectionEnabled, TableClass, SSESpecification, WarmThroughput } = input;
  return {
    ...description,
    ...(DeletionProtectionEnabled !== undefined && { DeletionProtectionEnabled }),
    ...(TableClass !== undefined && { TableClassSummary: { TableClass, LastUpdateDateTime: now } }),
    ...(SSESpecification !== undefined && {
      SSEDescription: changedEncryption(database, description, SSESpecification),
    }),
    ...(WarmThroughput !== undefined && {
      WarmThroughput: changeWarmThroughput(description.WarmThroughput, WarmThroughput, "table"),
    }),
  };
}

function changedEncryption(
  database: Database,
  { SSEDescription: current }: StoredTableDescription,
  requested: SSESpecification,
): StoredTableDescription["SSEDescription"] {
  const changed = encryptionDescription(database, requested);
  if (current === undefined && changed === undefined) {
    throw invalidParameter("Table is already encrypted by default");
  }
  if (requested.KMSMasterKeyId !== undefined && requested.KMSMasterKeyId === current?.KMSMasterKeyArn) {
    throw invalidParameter(
      "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key",
    );
  }
  return changed;
}

function applyStreamChange(
  database: Database,
  transaction: WriteTransaction,
  record: TableRecord,
  { StreamSpecification: requested, TableName }: UpdateTableInput,
): TableRecord {
  if (requested === undefined) return record;
  const isOn = record.streamId !== undefined;
  if (requested.StreamViewType !== undefined) {
    if (isOn) throw invalid(`Table already has an enabled stream: TableName: ${TableName}`);
    return withStream(database, transaction, record, requested.StreamViewType);
  }
  if (!isOn) throw invalid(`Table has no stream to disable: TableName: ${TableName}`);
  return withoutStream(database, transaction, record);
}

function applyIndexChanges(
  database: Database,
  transaction: WriteTransaction,
  record: TableRecord,
  input: UpdateTableInput,
  now: number,
): TableRecord {
  let changed = record;
  for (const { Create, Update, Delete } of input.GlobalSecondaryIndexUpdates ?? []) {
    if (Create !== undefined) changed = withIndex(database, transaction, changed, Create, input);
    if (Delete !== undefined) changed = withoutIndex(database, transaction, changed, Delete.IndexName ?? "");
    if (Update !== undefined) {
      changed = { ...changed, description: withIndexThroughput(changed.description, Update, now) };
    }
  }
  return changed;
}

/** Describes the changed table; an index that is being created or deleted is reported as in progress. */
function describeChange(
  transaction: WriteTransaction,
  before: TableRecord,
  after: TableRecord,
): TableDescription {
  const description = tableDescription(transaction, after);
  const indexes = description.GlobalSecondaryIndexes ?? [];
  const removed = tableDescription(transaction, before)
    .GlobalSecondaryIndexes?.filter(({ IndexName = "" }) => !Object.hasOwn(after.indexIds, IndexName))
    .map((index) => ({ ...index, IndexStatus: "DELETING" as const }));
  if (!indexes.some(({ Backfilling }) => Backfilling) && !removed?.length) return description;
  return {
    ...description,
    TableStatus: "UPDATING",
    GlobalSecondaryIndexes: [...indexes, ...(removed ?? [])],
  };
}
