import type { BillingMode, StreamViewType, TableDescription, TagResourceInput } from "@tablekeep/core";
import type { KeyType } from "../values/key-bytes.ts";
import { type CountedUse, noUse } from "./table-use.ts";

/** An attribute that is part of a key. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: KeyType;
}

/** The keys of a table or index, as every read and write needs them. */
export interface KeyModel {
  /** One attribute; a global index may have up to four. */
  readonly hash: readonly [KeyAttribute, ...KeyAttribute[]];
  /** At most one attribute; a global index may have up to four. */
  readonly range: readonly KeyAttribute[];
  /** Both, partition keys first. */
  readonly keys: readonly KeyAttribute[];
}

export interface IndexModel extends KeyModel {
  readonly name: string;
  readonly kind: "local" | "global";
  /** Four bytes that begin the storage keys of its entries. Never reused. */
  readonly id: string;
  /** `ALL`, or the names of attributes in an entry: index keys, table keys and those of INCLUDE. */
  readonly projected: "ALL" | ReadonlySet<string>;
  /** True while items from before the index are being added: the index is incomplete, and cannot be read. */
  readonly backfilling: boolean;
}

/** A table as operations see it. Made from {@link TableRecord}; replaced, never changed, except for its use. */
export interface TableModel extends KeyModel {
  readonly name: string;
  /**
   * Four bytes that begin the storage keys of its items. Never reused, so that the items of a deleted table are
   * unreachable.
   */
  readonly id: string;
  /** Names of the key attributes, partition key first. */
  readonly keyNames: readonly string[];
  readonly indexes: readonly IndexModel[];
  /** The stream for change records, if there is one. */
  readonly stream: StreamTarget | undefined;
  readonly record: TableRecord;
  readonly use: CountedUse;
}

/** The stream that a table writes to. */
interface StreamTarget {
  /** Four bytes that begin the storage keys of its records. */
  readonly id: string;
  readonly viewType: StreamViewType;
}

/** The stored record of a table. Times are milliseconds. */
export interface TableRecord {
  readonly id: string;
  /** As in DescribeTable, except that counts are stored elsewhere and times are numbers. */
  readonly description: StoredTableDescription;
  /** Storage ids of the indexes by name. */
  readonly indexIds: Readonly<Record<string, string>>;
  /** The storage id of the enabled stream. */
  readonly streamId?: string;
  readonly timeToLive?: TimeToLiveRecord;
  readonly tags: NonNullable<TagResourceInput["Tags"]>;
}

/** How items of a table expire. */
export interface TimeToLiveRecord {
  readonly attribute: string;
  /** Four bytes that begin the storage keys of the expiry entries. New each time that expiry is enabled. */
  readonly id: string;
  /** True once all items from before have their entries. */
  readonly filled: boolean;
}

/** {@link TableDescription} in JSON. */
export type StoredTableDescription = Stored<TableDescription> & {
  readonly TableName: string;
  readonly TableArn: string;
};

/** Returns the billing mode. A table that was never billed per request has no summary. */
export function billingModeOf(description: StoredTableDescription): BillingMode {
  return description.BillingModeSummary?.BillingMode ?? "PROVISIONED";
}

/** Builds the model of a stored table. It continues the use of `before`, an earlier model of the same table. */
export function tableModel(record: TableRecord, before?: TableModel): TableModel {
  const { description } = record;
  const types = new Map(
    description.AttributeDefinitions?.map((each) => [each.AttributeName, each.AttributeType]),
  );
  const keysOf = (schema: TableDescription["KeySchema"], kind: "HASH" | "RANGE"): KeyAttribute[] =>
    (schema ?? [])
      .filter((element) => element.KeyType === kind)
      .map(({ AttributeName: name = "" }) => ({ name, type: types.get(name) as KeyType }));
  const model = (schema: TableDescription["KeySchema"]): KeyModel => {
    const hash = keysOf(schema, "HASH") as [KeyAttribute, ...KeyAttribute[]];
    const range = keysOf(schema, "RANGE");
    return { hash, range, keys: [...hash, ...range] };
  };
  const keys = model(description.KeySchema);
  const keyNames = keys.keys.map(({ name }) => name);
  const index = (kind: "local" | "global", described: IndexDescription): IndexModel => {
    const own = model(described.KeySchema);
    return {
      ...own,
      kind,
      name: described.IndexName ?? "",
      id: record.indexIds[described.IndexName ?? ""] ?? "",
      projected: projectedNames(described, [...keyNames, ...own.keys]),
      backfilling: described.Backfilling ?? false,
    };
  };
  return {
    ...keys,
    keyNames,
    record,
    use: before?.id === record.id ? before.use : noUse(),
    name: description.TableName,
    id: record.id,
    indexes: [
      ...(description.LocalSecondaryIndexes ?? []).map((each) => index("local", each)),
      ...(description.GlobalSecondaryIndexes ?? []).map((each) => index("global", each)),
    ],
    stream: streamTarget(record),
  };
}

type IndexDescription = Pick<
  NonNullable<StoredTableDescription["GlobalSecondaryIndexes"]>[number],
  "IndexName" | "KeySchema" | "Projection" | "Backfilling"
>;

function projectedNames(
  { Projection }: IndexDescription,
  keys: readonly (string | KeyAttribute)[],
): "ALL" | ReadonlySet<string> {
  if (Projection?.ProjectionType === "ALL") return "ALL";
  const names = keys.map((key) => (typeof key === "string" ? key : key.name));
  return new Set([...names, ...(Projection?.NonKeyAttributes ?? [])]);
}

function streamTarget({ streamId: id, description }: TableRecord): StreamTarget | undefined {
  const viewType = description.StreamSpecification?.StreamViewType;
  return id === undefined || viewType === undefined ? undefined : { id, viewType };
}

/** A type in JSON: dates are milliseconds since 1970. */
export type Stored<Value> = Value extends Date
  ? number
  : Value extends (infer Element)[]
    ? Stored<Element>[]
    : Value extends object
      ? { [Name in keyof Value]: Stored<Value[Name]> }
      : Value;
