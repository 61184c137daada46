import type {
  BillingMode,
  GlobalSecondaryIndex,
  ProvisionedThroughput,
  SSESpecification,
  TableDescription,
} from "@tablekeep/core";
import { invalidParameter } from "../values/dynamo-errors.ts";
import { readCounts } from "./counts.ts";
import type { Stored, StoredTableDescription, TableRecord } from "./table-model.ts";

interface Reader {
  get(key: string): string | undefined;
}

/** A table as DescribeTable shows it, with the counts that `reader` finds. */
export function describeTable(reader: Reader, record: TableRecord): TableDescription {
  const description = withDates<TableDescription>(record.description);
  const countOf = readCounts(reader, record.id);
  const size = (index: { IndexName?: string | undefined }) => {
    const { items, bytes } = countOf(record.indexIds[index.IndexName ?? ""] ?? "");
    return { IndexSizeBytes: bytes, ItemCount: items };
  };
  const own = countOf(record.id);
  return {
    ...description,
    ItemCount: own.items,
    TableSizeBytes: own.bytes,
    LocalSecondaryIndexes: description.LocalSecondaryIndexes?.map((each) => ({ ...each, ...size(each) })),
    GlobalSecondaryIndexes: description.GlobalSecondaryIndexes?.map((each) => ({ ...each, ...size(each) })),
  };
}

/** A copy in which the dates are dates again. DynamoDB ends the names of all of them alike. */
export function withDates<Value>(stored: Stored<Value>): Value {
  return revived(stored) as Value;
}

function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === "number" && name.endsWith("DateTime") ? new Date(member) : revived(member),
    ]),
  );
}

/** A global index as it is stored. */
export type StoredGlobalIndex = NonNullable<StoredTableDescription["GlobalSecondaryIndexes"]>[number];

/** A global index that is new. */
export function newGlobalIndex(tableArn: string, index: GlobalSecondaryIndex): StoredGlobalIndex {
  return {
    IndexName: index.IndexName,
    KeySchema: index.KeySchema,
    Projection: index.Projection,
    IndexStatus: "ACTIVE",
    ProvisionedThroughput: newThroughput(index.ProvisionedThroughput),
    OnDemandThroughput: index.OnDemandThroughput,
    IndexArn: `${tableArn}/index/${index.IndexName}`,
  };
}

/** Throughput as a description has it; none is zero. */
export function newThroughput(
  given: ProvisionedThroughput | undefined,
): NonNullable<StoredTableDescription["ProvisionedThroughput"]> {
  return {
    NumberOfDecreasesToday: 0,
    ReadCapacityUnits: given?.ReadCapacityUnits ?? 0,
    WriteCapacityUnits: given?.WriteCapacityUnits ?? 0,
  };
}

/** How a table is paid for. One that was never paid per request does not say. */
export function billingModeOf(description: StoredTableDescription): BillingMode {
  return description.BillingModeSummary?.BillingMode ?? "PROVISIONED";
}

/** What a table says of its encryption. It is said, so that programs can ask; files are as the disk has them. */
export function encryptionOf(
  { region, accountId }: Place,
  given: SSESpecification | undefined,
): StoredTableDescription["SSEDescription"] {
  const { Enabled, SSEType, KMSMasterKeyId } = given ?? {};
  if (Enabled === false && SSEType !== undefined) {
    throw invalidParameter("SSEType can not be specified if Enabled is false");
  }
  if (Enabled === false && KMSMasterKeyId !== undefined) {
    throw invalidParameter("KMSMasterKeyId can not be specified if Enabled is false");
  }
  if (SSEType === "AES256") throw invalidParameter("SSEType AES256 is not supported");
  if (KMSMasterKeyId !== undefined && SSEType === undefined) {
    throw invalidParameter("SSEType KMS is required if KMSMasterKeyId is specified");
  }
  if (!(Enabled ?? SSEType !== undefined)) return undefined;
  return {
    Status: "ENABLED",
    SSEType: "KMS",
    KMSMasterKeyArn: KMSMasterKeyId ?? `arn:aws:kms:${region}:${accountId}:alias/aws/dynamodb`,
  };
}

/** Where an engine says that it is. */
export interface Place {
  readonly region: string;
  readonly accountId: string;
}

/** The ARN of a table here. */
export function tableArn({ region, accountId }: Place, name: string): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;
}
