import type { ProvisionedThroughput, TableDescription, UpdateTableInput } from "@tablekeep/core";
import { globalIndexInput } from "./create-table-input.ts";
import type { GlobalIndexSpec, TableSpec } from "./table-spec.ts";

/** One change to a table. DynamoDB makes one at a time. */
export interface TableUpdate {
  /** What the update does, in one sentence. */
  readonly message: string;
  readonly input: UpdateTableInput;
}

/** The next change that brings a table closer to its specification; undefined where none is left that is safe. */
export function nextTableUpdate(spec: TableSpec, table: TableDescription): TableUpdate | undefined {
  const present = new Set((table.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName));
  const index = spec.globalIndexes?.find(({ name }) => !present.has(name));
  if (index !== undefined) return indexCreation(spec, table, index);
  if (spec.stream !== undefined && table.StreamSpecification?.StreamEnabled !== true) {
    return {
      message: `enabled the change stream with ${spec.stream}`,
      input: {
        TableName: spec.name,
        StreamSpecification: { StreamEnabled: true, StreamViewType: spec.stream },
      },
    };
  }
  if (spec.deletionProtection === true && table.DeletionProtectionEnabled !== true) {
    return {
      message: "enabled deletion protection",
      input: { TableName: spec.name, DeletionProtectionEnabled: true },
    };
  }
  return undefined;
}

function indexCreation(spec: TableSpec, table: TableDescription, index: GlobalIndexSpec): TableUpdate {
  const { IndexName, KeySchema, Projection, ProvisionedThroughput } = globalIndexInput(spec, index);
  const reserved = reservedThroughput(table);
  const keys = index.sortKey ? [index.partitionKey, index.sortKey] : [index.partitionKey];
  return {
    message: `created the global index ${index.name}`,
    input: {
      TableName: spec.name,
      AttributeDefinitions: keys.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName,
            KeySchema,
            Projection,
            ...(reserved && { ProvisionedThroughput: ProvisionedThroughput ?? reserved }),
          },
        },
      ],
    },
  };
}

/** Returns the reserved capacity of the existing table: an index needs some exactly if its table has some. */
function reservedThroughput(table: TableDescription): ProvisionedThroughput | undefined {
  if (table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST") return undefined;
  const { ReadCapacityUnits, WriteCapacityUnits } = table.ProvisionedThroughput ?? {};
  return { ReadCapacityUnits, WriteCapacityUnits };
}
