import type { CreateTableInput, GlobalSecondaryIndex, LocalSecondaryIndex } from "@tablekeep/core";
import { checkNewWarmThroughput } from "../catalog/warm-throughput.ts";
import { invalid, invalidParameter } from "../values/dynamo-errors.ts";
import {
  checkGlobalSchema,
  checkOnDemand,
  checkPlainSchema,
  checkProjectedTotal,
  checkProjection,
  checkUnits,
  firstRepeated,
  formatList,
  namesOf,
} from "./check-schema.ts";
import { checkTags } from "./tags.ts";
import { checkSupported } from "./unsupported.ts";

// AWS: Limits — indexes of one table.
const maxLocalIndexes = 5;
export const maxGlobalIndexes = 20;

/** Checks what shapes cannot express about a new table, in DynamoDB's order. */
export function checkCreateTable(input: CreateTableInput): void {
  checkSupported(input);
  checkBilling(input);
  checkKeys(input);
  checkLocalIndexes(input);
  checkGlobalIndexes(input);
  checkProjectedTotal([...(input.LocalSecondaryIndexes ?? []), ...(input.GlobalSecondaryIndexes ?? [])]);
  checkDefinitionsUsed(input);
  checkStream(input);
  checkTags(input.Tags ?? []);
}

function checkBilling(input: CreateTableInput): void {
  const { BillingMode, ProvisionedThroughput, OnDemandThroughput } = input;
  if (BillingMode === "PAY_PER_REQUEST" && ProvisionedThroughput !== undefined) {
    throw invalidParameter(
      "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
    );
  }
  if (BillingMode !== "PAY_PER_REQUEST" && ProvisionedThroughput === undefined) {
    throw invalidParameter(
      "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
    );
  }
  checkUnits(ProvisionedThroughput);
  checkOnDemand(BillingMode ?? "PROVISIONED", OnDemandThroughput, "table", false);
  checkNewWarmThroughput(BillingMode ?? "PROVISIONED", input, "table");
}

function checkKeys(input: CreateTableInput): void {
  const { KeySchema = [], AttributeDefinitions = [] } = input;
  const names = namesOf(AttributeDefinitions);
  const repeated = firstRepeated(names);
  if (repeated !== undefined) throw invalid(`Attribute Name is duplicated: ${repeated}`);
  if (KeySchema.length > AttributeDefinitions.length) {
    throw invalid("Invalid KeySchema: Some index key attribute have no definition");
  }
  checkPlainSchema(KeySchema, AttributeDefinitions);
  const hasIndexes = input.LocalSecondaryIndexes !== undefined || input.GlobalSecondaryIndexes !== undefined;
  if (!hasIndexes && KeySchema.length !== AttributeDefinitions.length) {
    throw invalidParameter(
      "Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
    );
  }
}

function checkLocalIndexes({
  KeySchema = [],
  AttributeDefinitions = [],
  LocalSecondaryIndexes,
}: CreateTableInput): void {
  if (LocalSecondaryIndexes === undefined) return;
  if (LocalSecondaryIndexes.length === 0) throw invalidParameter("List of LocalSecondaryIndexes is empty");
  if (KeySchema.length < 2) {
    throw invalidParameter(
      "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
    );
  }
  for (const [at, index] of LocalSecondaryIndexes.entries()) {
    const { KeySchema: own = [], IndexName } = index;
    checkPlainSchema(own, AttributeDefinitions);
    if (own.length < 2) {
      throw invalidParameter(`Index KeySchema does not have a range key for index: ${IndexName}`);
    }
    const [hash, tableHash] = [own[0]?.AttributeName, KeySchema[0]?.AttributeName];
    if (hash !== tableHash) {
      throw invalidParameter(
        `Index KeySchema does not have the same leading hash key as table KeySchema for index: ${IndexName}. ` +
          `index hash key: ${hash}, table hash key: ${tableHash}`,
      );
    }
    checkProjection(index.Projection);
    checkNewName(LocalSecondaryIndexes.slice(0, at), IndexName);
  }
  if (LocalSecondaryIndexes.length > maxLocalIndexes) {
    throw invalidParameter(`Number of LocalSecondaryIndexes exceeds per-table limit of ${maxLocalIndexes}`);
  }
}

function checkGlobalIndexes(input: CreateTableInput): void {
  const { AttributeDefinitions = [], GlobalSecondaryIndexes, LocalSecondaryIndexes = [] } = input;
  if (GlobalSecondaryIndexes === undefined) return;
  if (GlobalSecondaryIndexes.length === 0) throw invalidParameter("List of GlobalSecondaryIndexes is empty");
  for (const [at, index] of GlobalSecondaryIndexes.entries()) {
    checkGlobalSchema(index.KeySchema ?? [], AttributeDefinitions);
    checkProjection(index.Projection);
    checkIndexBilling(input, index);
    checkNewName([...LocalSecondaryIndexes, ...GlobalSecondaryIndexes.slice(0, at)], index.IndexName);
  }
  if (GlobalSecondaryIndexes.length > maxGlobalIndexes) {
    throw invalidParameter(`GlobalSecondaryIndex count exceeds the per-table limit of ${maxGlobalIndexes}`);
  }
}

function checkIndexBilling({ BillingMode }: CreateTableInput, index: GlobalSecondaryIndex): void {
  const { IndexName, ProvisionedThroughput, OnDemandThroughput } = index;
  if (BillingMode === "PAY_PER_REQUEST" && ProvisionedThroughput !== undefined) {
    throw invalidParameter(
      `ProvisionedThroughput should not be specified for index: ${IndexName} when BillingMode is PAY_PER_REQUEST`,
    );
  }
  if (BillingMode !== "PAY_PER_REQUEST" && ProvisionedThroughput === undefined) {
    throw invalidParameter(`ProvisionedThroughput is not specified for index: ${IndexName}`);
  }
  checkUnits(ProvisionedThroughput);
  checkOnDemand(BillingMode ?? "PROVISIONED", OnDemandThroughput, `index : ${IndexName}`, false);
  checkNewWarmThroughput(BillingMode ?? "PROVISIONED", index, `index ${IndexName}`);
}

function checkNewName(
  others: readonly (LocalSecondaryIndex | GlobalSecondaryIndex)[],
  name: string | undefined,
): void {
  if (others.some(({ IndexName }) => IndexName === name)) {
    throw invalidParameter(`Duplicate index name: ${name}`);
  }
}

function checkDefinitionsUsed(input: CreateTableInput): void {
  const indexes = [...(input.LocalSecondaryIndexes ?? []), ...(input.GlobalSecondaryIndexes ?? [])];
  const used = new Set(
    namesOf([...(input.KeySchema ?? []), ...indexes.flatMap(({ KeySchema }) => KeySchema ?? [])]),
  );
  const defined = namesOf(input.AttributeDefinitions ?? []);
  if (defined.every((name) => used.has(name))) return;
  throw invalidParameter(
    `Some AttributeDefinitions are not used. AttributeDefinitions: ${formatList(defined)}, keys used: ${formatList(used)}`,
  );
}

function checkStream({ StreamSpecification: stream }: CreateTableInput): void {
  if (stream?.StreamEnabled === true && stream.StreamViewType === undefined) {
    throw invalidParameter("Table is being created with a stream enabled, UpdateViewType is required");
  }
  if (stream?.StreamEnabled === false && stream.StreamViewType !== undefined) {
    throw invalidParameter(
      "Table is being created with a stream disabled, UpdateViewType should not be specified",
    );
  }
}
