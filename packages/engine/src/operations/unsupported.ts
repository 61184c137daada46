import type { CreateTableInput, UpdateTableInput } from "@tablekeep/core";
import { dynamoError, engineMessage, invalid } from "../values/dynamo-errors.ts";

/** A part of DynamoDB that the embedded engine does not support, as listed in `docs/reference/engine.md`. */
interface UnsupportedFeature {
  readonly feature: string;
  readonly operations: readonly string[];
  /** Members of CreateTable and UpdateTable that request it. Ignoring them would pretend that it is supported. */
  readonly members?: readonly (keyof CreateTableInput | keyof UpdateTableInput)[];
  readonly instead: string;
}

export const unsupportedFeatures: readonly UnsupportedFeature[] = [
  {
    feature: "backups",
    operations: [
      "CreateBackup",
      "DeleteBackup",
      "DescribeBackup",
      "DescribeContinuousBackups",
      "ListBackups",
      "RestoreTableFromBackup",
      "RestoreTableToPointInTime",
      "UpdateContinuousBackups",
    ],
    instead: "dump the table, or copy the folder while no process has it open",
  },
  {
    feature: "global tables",
    operations: [
      "CreateGlobalTable",
      "DescribeGlobalTable",
      "DescribeGlobalTableSettings",
      "DescribeTableReplicaAutoScaling",
      "ListGlobalTables",
      "UpdateGlobalTable",
      "UpdateGlobalTableSettings",
      "UpdateTableReplicaAutoScaling",
    ],
    members: [
      "GlobalTableSourceArn",
      "ReplicaUpdates",
      "MultiRegionConsistency",
      "GlobalTableWitnessUpdates",
      "GlobalTableSettingsReplicationMode",
    ],
    instead: "use one table for the clients of all regions",
  },
  {
    feature: "imports and exports by S3",
    operations: [
      "DescribeExport",
      "DescribeImport",
      "ExportTableToPointInTime",
      "ImportTable",
      "ListExports",
      "ListImports",
    ],
    instead: "use `tablekeep table export` and `tablekeep table import`",
  },
  {
    feature: "bulk operations by S3",
    operations: ["CancelBulkOperation", "DescribeBulkOperation", "ListBulkOperations", "StartBulkPutItems"],
    instead: "use BatchWriteItem",
  },
  {
    feature: "resource policies",
    operations: ["DeleteResourcePolicy", "GetResourcePolicy", "PutResourcePolicy"],
    members: ["ResourcePolicy"],
    instead: "restrict access to the folder and to the access keys",
  },
  {
    feature: "Kinesis destinations",
    operations: [
      "DescribeKinesisStreamingDestination",
      "DisableKinesisStreamingDestination",
      "EnableKinesisStreamingDestination",
      "UpdateKinesisStreamingDestination",
    ],
    instead: "read the stream of the table",
  },
  {
    feature: "contributor insights",
    operations: ["DescribeContributorInsights", "ListContributorInsights", "UpdateContributorInsights"],
    instead: "request ConsumedCapacity, or meter the client",
  },
  {
    feature: "vector indexes",
    operations: ["SearchVectors"],
    members: ["VectorIndexes", "VectorIndexUpdates"],
    instead: "search in the application",
  },
];

/** DynamoDB's error for an unknown operation. For an unsupported one, the message names an alternative. */
export function unknownOperation(operation: string): Error {
  const part = unsupportedFeatures.find(({ operations }) => operations.includes(operation));
  const message =
    part === undefined
      ? engineMessage(`unknown operation ${operation}`)
      : unsupportedMessage(operation, part);
  return dynamoError("UnknownOperationException", message);
}

/** Rejects requests for tables with unsupported features. */
export function checkSupported(input: CreateTableInput | UpdateTableInput): void {
  for (const part of unsupportedFeatures) {
    const requested = part.members?.find((name) => input[name as keyof typeof input] !== undefined);
    if (requested !== undefined) throw invalid(unsupportedMessage(requested, part));
  }
}

function unsupportedMessage(what: string, { feature, instead }: UnsupportedFeature): string {
  return engineMessage(`${what} is not supported: the embedded engine has no ${feature}; ${instead}`);
}
