import type {
  CreateTableInput,
  GlobalSecondaryIndex,
  KeySchemaElement,
  LocalSecondaryIndex,
  Projection,
  ProvisionedThroughput,
  Tag,
  UpdateTimeToLiveInput,
} from "@tablekeep/core";
import { checkTableSpec, keyAttributes } from "./check-table-spec.ts";
import type {
  GlobalIndexSpec,
  IndexProjection,
  KeyAttribute,
  LocalIndexSpec,
  ReservedCapacity,
  TableSpec,
} from "./table-spec.ts";

/**
 * Returns the `CreateTable` request for this table. It does not include expiry, which needs a separate request once the
 * table is ACTIVE; {@link ensureTable} sends it.
 *
 * @example
 * await port.createTable(createTableInput({ name: "orders", partitionKey: { name: "pk", type: "S" } }));
 */
export function createTableInput(spec: TableSpec): CreateTableInput {
  checkTableSpec(spec);
  const { localIndexes = [], globalIndexes = [], tags = {} } = spec;
  return {
    TableName: spec.name,
    AttributeDefinitions: keyAttributes(spec).map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    KeySchema: keySchema(spec.partitionKey, spec.sortKey),
    ...(localIndexes.length > 0 && {
      LocalSecondaryIndexes: localIndexes.map((index) => localIndexInput(spec, index)),
    }),
    ...(globalIndexes.length > 0 && {
      GlobalSecondaryIndexes: globalIndexes.map((index) => globalIndexInput(spec, index)),
    }),
    ...billingInput(spec),
    ...(spec.stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: spec.stream } }),
    ...(spec.tableClass && { TableClass: spec.tableClass }),
    ...(spec.deletionProtection !== undefined && { DeletionProtectionEnabled: spec.deletionProtection }),
    ...(Object.keys(tags).length > 0 && { Tags: tagList(tags) }),
  };
}

/**
 * Returns the request that switches expiry on; undefined if nothing expires.
 *
 * @example
 * const input = timeToLiveInput({ name: "orders", partitionKey: { name: "pk", type: "S" }, ttlAttribute: "ttl" });
 * if (input !== undefined) await port.updateTimeToLive(input);
 */
export function timeToLiveInput(spec: TableSpec): UpdateTimeToLiveInput | undefined {
  if (spec.ttlAttribute === undefined) return undefined;
  return {
    TableName: spec.name,
    TimeToLiveSpecification: { Enabled: true, AttributeName: spec.ttlAttribute },
  };
}

/** Key schema as DynamoDB writes it. */
function keySchema(partition: KeyAttribute | undefined, sort: KeyAttribute | undefined): KeySchemaElement[] {
  return [
    ...(partition ? [{ AttributeName: partition.name, KeyType: "HASH" as const }] : []),
    ...(sort ? [{ AttributeName: sort.name, KeyType: "RANGE" as const }] : []),
  ];
}

/** One global index in the format of `CreateTable` and `UpdateTable`. */
export function globalIndexInput(spec: TableSpec, index: GlobalIndexSpec): GlobalSecondaryIndex {
  const reserved = spec.billing === undefined || spec.billing === "on-demand" ? undefined : spec.billing;
  return {
    IndexName: index.name,
    KeySchema: keySchema(index.partitionKey, index.sortKey),
    Projection: projectionInput(index.projection),
    ...(reserved && { ProvisionedThroughput: throughput(index.capacity ?? reserved) }),
  };
}

/** A local index shares the partition key of its table. */
function localIndexInput(spec: TableSpec, index: LocalIndexSpec): LocalSecondaryIndex {
  return {
    IndexName: index.name,
    KeySchema: keySchema(spec.partitionKey, index.sortKey),
    Projection: projectionInput(index.projection),
  };
}

/** Tags as DynamoDB writes them. */
export function tagList(tags: Readonly<Record<string, string>>): Tag[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** A projection as DynamoDB writes it. */
export function projectionInput(projection: IndexProjection = "ALL"): Projection {
  if (typeof projection === "string") return { ProjectionType: projection };
  return { ProjectionType: "INCLUDE", NonKeyAttributes: [...projection] };
}

function billingInput(spec: TableSpec): Pick<CreateTableInput, "BillingMode" | "ProvisionedThroughput"> {
  if (spec.billing === undefined || spec.billing === "on-demand") return { BillingMode: "PAY_PER_REQUEST" };
  return { BillingMode: "PROVISIONED", ProvisionedThroughput: throughput(spec.billing) };
}

function throughput({ readUnits, writeUnits }: ReservedCapacity): ProvisionedThroughput {
  return { ReadCapacityUnits: readUnits, WriteCapacityUnits: writeUnits };
}
