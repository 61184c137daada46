import type {
  AttributeDefinition,
  CreateGlobalSecondaryIndexAction,
  UpdateTableInput,
} from "@tablekeep/core";
import { deleteCount } from "../catalog/counts.ts";
import { newGlobalIndex, type StoredGlobalIndex, sortedDefinitions } from "../catalog/describe-table.ts";
import { regions } from "../catalog/storage-keys.ts";
import { billingModeOf, type StoredTableDescription, type TableRecord } from "../catalog/table-model.ts";
import { checkNewWarmThroughput } from "../catalog/warm-throughput.ts";
import type { Database } from "../database/database.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { dynamoError, invalid, invalidParameter } from "../values/dynamo-errors.ts";
import { maxGlobalIndexes } from "./check-create-table.ts";
import {
  checkGlobalSchema,
  checkOnDemand,
  checkProjectedTotal,
  checkProjection,
  checkUnits,
  namesOf,
} from "./check-schema.ts";
import { onlyOneIndex } from "./check-update-table.ts";
import { indexNotFound } from "./update-throughput.ts";

/** Returns a table with another global index, which is filled in the background. */
export function withIndex(
  database: Database,
  transaction: WriteTransaction,
  record: TableRecord,
  index: CreateGlobalSecondaryIndexAction,
  input: UpdateTableInput,
): TableRecord {
  const { description } = record;
  if (input.AttributeDefinitions === undefined) {
    throw invalidParameter(`AttributeDefinitions is not specified for index: ${index.IndexName}`);
  }
  const definitions = mergeDefinitions(description, input.AttributeDefinitions);
  const { GlobalSecondaryIndexes: others = [] } = description;
  checkIndex(description, index, definitions);
  const indexId = database.catalog.newId(transaction);
  const { IndexName = "" } = index;
  const added: StoredGlobalIndex = {
    ...newGlobalIndex(description.TableArn, index),
    IndexStatus: "CREATING",
    Backfilling: true,
  };
  database.background.add(transaction, {
    kind: "fill-index",
    tableName: description.TableName,
    indexId,
    cursor: "",
  });
  return {
    ...record,
    indexIds: { ...record.indexIds, [IndexName]: indexId },
    description: withUsedDefinitions({
      ...description,
      AttributeDefinitions: definitions,
      GlobalSecondaryIndexes: [...others, added],
    }),
  };
}

/** Returns a table without one of its global indexes, whose entries are removed in the background. */
export function withoutIndex(
  database: Database,
  transaction: WriteTransaction,
  record: TableRecord,
  name: string,
): TableRecord {
  const { description } = record;
  if (description.LocalSecondaryIndexes?.some(({ IndexName }) => IndexName === name)) {
    throw invalid(`Cannot delete an index that is not a GlobalSecondaryIndex: ${name}`);
  }
  const indexId = Object.hasOwn(record.indexIds, name) ? record.indexIds[name] : undefined;
  const { [name]: _former, ...indexIds } = record.indexIds;
  if (indexId === undefined) throw indexNotFound(description.TableName, name);
  deleteCount(transaction, record.id, indexId);
  database.background.add(transaction, { kind: "drop", prefixes: [regions.indexes + indexId], keys: [] });
  const left = description.GlobalSecondaryIndexes?.filter(({ IndexName }) => IndexName !== name) ?? [];
  return {
    ...record,
    indexIds,
    description: withUsedDefinitions({
      ...description,
      GlobalSecondaryIndexes: left.length === 0 ? undefined : left,
    }),
  };
}

function checkIndex(
  description: StoredTableDescription,
  index: CreateGlobalSecondaryIndexAction,
  definitions: NonNullable<StoredTableDescription["AttributeDefinitions"]>,
): void {
  const { IndexName, KeySchema = [], ProvisionedThroughput, OnDemandThroughput } = index;
  const { GlobalSecondaryIndexes: globals = [], LocalSecondaryIndexes: locals = [] } = description;
  if ([...globals, ...locals].some((other) => other.IndexName === IndexName)) {
    throw invalid("Attempting to create an index which already exists");
  }
  if (globals.some(({ IndexStatus }) => IndexStatus !== "ACTIVE")) throw onlyOneIndex();
  if (globals.length >= maxGlobalIndexes) {
    throw dynamoError(
      "LimitExceededException",
      `Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of ${maxGlobalIndexes}`,
    );
  }
  checkGlobalSchema(KeySchema, definitions);
  checkProjection(index.Projection);
  checkProjectedTotal([...globals, ...locals, index]);
  const mode = billingModeOf(description);
  if (mode === "PAY_PER_REQUEST" && ProvisionedThroughput !== undefined) {
    throw invalidParameter(
      `Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: ${IndexName} when BillingMode ` +
        "is PAY_PER_REQUEST",
    );
  }
  if (mode === "PROVISIONED" && ProvisionedThroughput === undefined) {
    throw invalidParameter(
      `Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: ${IndexName}`,
    );
  }
  checkUnits(ProvisionedThroughput);
  checkOnDemand(mode, OnDemandThroughput, `index : ${IndexName}`, false);
  checkNewWarmThroughput(mode, index, `index ${IndexName}`);
}

/**
 * Adds new definitions to those of the table. Sources disagree on a known attribute with another type: DynamoDB Local
 * rejects it with this message, and older reports say that AWS keeps the known type. Rejecting is safer.
 */
function mergeDefinitions(
  { AttributeDefinitions: known = [] }: StoredTableDescription,
  given: readonly AttributeDefinition[],
): NonNullable<StoredTableDescription["AttributeDefinitions"]> {
  const names = namesOf(known);
  const types = new Map(known.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]));
  if (given.some(({ AttributeName, AttributeType: type }) => (types.get(AttributeName) ?? type) !== type)) {
    throw invalid("invalid attribute, SchemaElement redefined should be of same type as previously defined");
  }
  return [...known, ...given.filter(({ AttributeName = "" }) => !names.includes(AttributeName))];
}

/** Removes definitions that no key uses. */
function withUsedDefinitions(description: StoredTableDescription): StoredTableDescription {
  const indexes = [
    ...(description.LocalSecondaryIndexes ?? []),
    ...(description.GlobalSecondaryIndexes ?? []),
  ];
  const used = new Set(
    namesOf([...(description.KeySchema ?? []), ...indexes.flatMap(({ KeySchema }) => KeySchema ?? [])]),
  );
  return {
    ...description,
    AttributeDefinitions: sortedDefinitions(
      (description.AttributeDefinitions ?? []).filter(({ AttributeName = "" }) => used.has(AttributeName)),
    ),
  };
}
