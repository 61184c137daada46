import { randomUUID } from "node:crypto";
import type { CreateTableInput } from "@tablekeep/core";
import {
  encryptionDescription,
  newGlobalIndex,
  newThroughput,
  sortedDefinitions,
  sortedProjection,
  tableArn,
  tableDescription,
} from "../catalog/describe-table.ts";
import type { StoredTableDescription, TableRecord } from "../catalog/table-model.ts";
import { withWarmThroughput } from "../catalog/warm-throughput.ts";
import type { Database, Operation } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { dynamoError } from "../values/dynamo-errors.ts";
import { checkCreateTable } from "./check-create-table.ts";
import { withStream } from "./switch-stream.ts";

export const createTable: Operation<"CreateTable"> = (database, input) => {
  checkCreateTable(input);
  return database.writes.submit((transaction) => {
    const name = input.TableName ?? "";
    if (database.catalog.latest(transaction, name) !== undefined) {
      throw dynamoError("ResourceInUseException", `Table already exists: ${name}`);
    }
    const plain = newRecord(database, transaction, name, input);
    const viewType = input.StreamSpecification?.StreamViewType;
    const record = viewType === undefined ? plain : withStream(database, transaction, plain, viewType);
    database.catalog.put(transaction, record);
    transaction.onCommitted(() => database.background.scheduleSweep());
    return { TableDescription: tableDescription(transaction, record) };
  });
};

function newRecord(
  database: Database,
  transaction: WriteTransaction,
  name: string,
  input: CreateTableInput,
): TableRecord {
  const indexes = [...(input.LocalSecondaryIndexes ?? []), ...(input.GlobalSecondaryIndexes ?? [])];
  const newId = () => database.catalog.newId(transaction);
  return {
    id: newId(),
    indexIds: Object.fromEntries(indexes.map(({ IndexName = "" }) => [IndexName, newId()])),
    tags: input.Tags ?? [],
    description: withWarmThroughput(newDescription(database, name, input)),
  };
}

function newDescription(database: Database, name: string, input: CreateTableInput): StoredTableDescription {
  const arn = tableArn(database, name);
  const now = database.clock.now();
  return {
    TableName: name,
    TableStatus: "ACTIVE",
    TableArn: arn,
    TableId: randomUUID(),
    CreationDateTime: now,
    AttributeDefinitions: sortedDefinitions(input.AttributeDefinitions ?? []),
    KeySchema: input.KeySchema,
    ProvisionedThroughput: newThroughput(input.ProvisionedThroughput),
    BillingModeSummary:
      input.BillingMode === "PAY_PER_REQUEST"
        ? { BillingMode: "PAY_PER_REQUEST", LastUpdateToPayPerRequestDateTime: now }
        : undefined,
    LocalSecondaryIndexes: input.LocalSecondaryIndexes?.map((index) => ({
      IndexName: index.IndexName,
      KeySchema: index.KeySchema,
      Projection: sortedProjection(index.Projection),
      IndexArn: `${arn}/index/${index.IndexName}`,
    })),
    GlobalSecondaryIndexes: input.GlobalSecondaryIndexes?.map((index) => newGlobalIndex(arn, index)),
    OnDemandThroughput: input.OnDemandThroughput,
    WarmThroughput: input.WarmThroughput,
    SSEDescription: encryptionDescription(database, input.SSESpecification),
    TableClassSummary: input.TableClass && { TableClass: input.TableClass },
    DeletionProtectionEnabled: input.DeletionProtectionEnabled ?? false,
  };
}
