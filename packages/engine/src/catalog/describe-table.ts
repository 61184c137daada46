import type {
  AttributeDefinition,
  GlobalSecondaryIndex,
  Projection,
  ProvisionedThroughput,
  SSESpecification,
  TableDescription,
} from "@tablekeep/core";
import { invalidParameter } from "../values/dynamo-errors.ts";
import { readCounts } from "./counts.ts";
import type { Stored, StoredTableDescription, TableRecord } from "./table-model.ts";
import { withWarmThroughput } from "./warm-throughput.ts";

interface Reader {
  get(key: string): string | undefined;
}

/** Describes a table as DescribeTable does, with its counts read from `reader`. */
export function tableDescription(reader: Reader, record: TableRecord): TableDescription {
  // Tables of earlier versions have no warm throughput.
  const description = withDates<TableDescription>(withWarmThroughput(record.description));
  const countOf = readCounts(reader, record.id);
  const size = (index: { IndexName?: string }) => {
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

/** Returns a copy with dates in place of numbers. DynamoDB uses one suffix for the names of all dates. */
function withDates<Value>(stored: Stored<Value>): Value {
  return reviveDates(stored) as Value;
}

function reviveDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reviveDates);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === "number" && name.endsWith("DateTime") ? new Date(member) : reviveDates(member),
    ]),
  );
}

/** The stored form of a global index. */
export type StoredGlobalIndex = NonNullable<StoredTableDescription["GlobalSecondaryIndexes"]>[number];

/** Describes a new global index. */
export function newGlobalIndex(tableArn: string, index: GlobalSecondaryIndex): StoredGlobalIndex {
  return {
    IndexName: index.IndexName,
    KeySchema: index.KeySchema,
    Projection: sortedProjection(index.Projection),
    IndexStatus: "ACTIVE",
    ProvisionedThroughput: newThroughput(index.ProvisionedThroughput),
    OnDemandThroughput: index.OnDemandThroughput,
    WarmThroughput: index.WarmThroughput,
    IndexArn: `${tableArn}/index/${index.IndexName}`,
  };
}

/** Returns a projection as DynamoDB describes it: with its attributes in the order of their names. */
export function sortedProjection(projection: Projection | undefined): Projection | undefined {
  const { NonKeyAttributes: names } = projection ?? {};
  return names === undefined ? projection : { ...projection, NonKeyAttributes: names.toSorted() };
}

/** Returns definitions in the order of their names, as DynamoDB describes them. */
export function sortedDefinitions(definitions: readonly AttributeDefinition[]): AttributeDefinition[] {
  return definitions.toSorted((one, two) => ((one.AttributeName ?? "") < (two.AttributeName ?? "") ? -1 : 1));
}

/** Describes throughput; without any, it is zero. */
export function newThroughput(
  given: ProvisionedThroughput | undefined,
): NonNullable<StoredTableDescription["ProvisionedThroughput"]> {
  return {
    NumberOfDecreasesToday: 0,
    ReadCapacityUnits: given?.ReadCapacityUnits ?? 0,
    WriteCapacityUnits: given?.WriteCapacityUnits ?? 0,
  };
}

/** Describes a table's encryption, for programs that read it. The files themselves are not encrypted by the engine. */
export function encryptionDescription(
  { region, accountId }: AwsLocation,
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

/** The region and account that an engine uses in ARNs. */
export interface AwsLocation {
  readonly region: string;
  readonly accountId: string;
}

/** Returns the ARN of a table. */
export function tableArn({ region, accountId }: AwsLocation, name: string): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;
}
