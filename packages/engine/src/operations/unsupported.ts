import type { CreateTableInput, UpdateTableInput } from "@tablekeep/core";
import { invalidParameter, refusal } from "../values/dynamo-errors.ts";

/** A part of DynamoDB that an embedded engine leaves out. `docs/reference/engine.md` lists the same. */
interface LeftOut {
  readonly feature: string;
  readonly operations: readonly string[];
  /** Members of CreateTable and UpdateTable that ask for it. To pass over them would pretend that it is there. */
  readonly members?: readonly (keyof CreateTableInput | keyof UpdateTableInput)[];
  readonly instead: string;
}

export const leftOut: readonly LeftOut[] = [
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
    instead: "dump the table, or copy the folder while nobody has it open",
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
    instead: "use one table, which clients of every region see",
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
    instead: "use `tablekeep tables dump` and `tablekeep tables load`",
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
    instead: "keep the folder and the access keys from others",
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
    instead: "ask for ConsumedCapacity, or meter the client",
  },
  {
    feature: "vector indexes",
    operations: ["SearchVectors"],
    members: ["VectorIndexes", "VectorIndexUpdates"],
    instead: "search in the program",
  },
];

/** DynamoDB's refusal of an operation that is not there; for one that is left out on purpose it says what to do. */
export function unknownOperation(operation: string): Error {
  const part = leftOut.find(({ operations }) => operations.includes(operation));
  const message = part === undefined ? `unknown operation ${operation}` : notSupported(operation, part);
  return refusal("UnknownOperationException", message);
}

/** Refuses a request for a table with, or a change to, something that is left out. */
export function checkLeftOut(input: CreateTableInput | UpdateTableInput): void {
  for (const part of leftOut) {
    const asked = part.members?.find((name) => input[name as keyof typeof input] !== undefined);
    if (asked !== undefined) throw invalidParameter(notSupported(asked, part));
  }
}

function notSupported(what: string, { feature, instead }: LeftOut): string {
  return `${what} is not supported: the embedded engine has no ${feature}; ${instead}`;
}
