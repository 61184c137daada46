import type {
  CreateTableInput,
  GlobalSecondaryIndex,
  LocalSecondaryIndex,
  ProvisionedThroughput,
  ProvisionedThroughputDescription,
  TableDescription,
} from "@tablekeep/core";
import type { TableSettings } from "./table-settings.ts";

/** The request that makes a table like the one described: its keys, indexes, billing, stream and tags. */
export function createInputOf(
  description: TableDescription,
  { tags = [] }: TableSettings,
  name?: string,
): CreateTableInput {
  const { LocalSecondaryIndexes = [], GlobalSecondaryIndexes = [], StreamSpecification } = description;
  const reserved = throughputOf(description);
  return {
    TableName: name ?? description.TableName,
    AttributeDefinitions: description.AttributeDefinitions,
    KeySchema: description.KeySchema,
    ...(LocalSecondaryIndexes.length > 0 && {
      LocalSecondaryIndexes: LocalSecondaryIndexes.map(
        ({ IndexName, KeySchema, Projection }): LocalSecondaryIndex => ({ IndexName, KeySchema, Projection }),
      ),
    }),
    ...(GlobalSecondaryIndexes.length > 0 && {
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(
        ({ IndexName, KeySchema, Projection, ProvisionedThroughput }): GlobalSecondaryIndex => ({
          IndexName,
          KeySchema,
          Projection,
          ...(reserved && { ProvisionedThroughput: units(ProvisionedThroughput) ?? reserved }),
        }),
      ),
    }),
    ...(reserved
      ? { BillingMode: "PROVISIONED" as const, ProvisionedThroughput: reserved }
      : { BillingMode: "PAY_PER_REQUEST" as const }),
    ...(StreamSpecification?.StreamEnabled === true && { StreamSpecification }),
    ...(tags.length > 0 && { Tags: [...tags] }),
  };
}

/** The reserved capacity; undefined for a table that is paid by request, or that does not say. */
function throughputOf(description: TableDescription): ProvisionedThroughput | undefined {
  if (description.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST") return undefined;
  return units(description.ProvisionedThroughput);
}

function units(described: ProvisionedThroughputDescription | undefined): ProvisionedThroughput | undefined {
  const { ReadCapacityUnits = 0, WriteCapacityUnits = 0 } = described ?? {};
  return ReadCapacityUnits > 0 && WriteCapacityUnits > 0
    ? { ReadCapacityUnits, WriteCapacityUnits }
    : undefined;
}
