import type { StreamViewType, TableDescription, TagResourceInput } from "@tablekeep/core";
import type { KeyType } from "../values/key-bytes.ts";

/** An attribute that is part of a key. */
export interface KeyAttribute {
  readonly name: string;
  readonly type: KeyType;
}

/** What every read and write of a table or an index must know of its keys. */
export interface KeyModel {
  /** One attribute; a global index may have up to four. */
  readonly hash: readonly [KeyAttribute, ...KeyAttribute[]];
  /** None or one attribute; a global index may have up to four. */
  readonly range: readonly KeyAttribute[];
  /** Both, partition keys first. */
  readonly keys: readonly KeyAttribute[];
}

export interface IndexModel extends KeyModel {
  readonly name: string;
  readonly kind: "local" | "global";
  /** Four bytes that begin the storage keys of its entries. Never used again. */
  readonly id: string;
  /** `ALL`, or the names that an entry carries: index keys, table keys and what INCLUDE lists. */
  readonly projected: "ALL" | ReadonlySet<string>;
  /** Whether items that were there before the index are still being entered: it lacks some, and cannot be read. */
  readonly backfilling: boolean;
}

/** A table as operations see it. Made from {@link TableRecord}; replaced, never changed. */
export interface TableModel extends KeyModel {
  readonly name: string;
  /** Four bytes that begin the storage keys of its items. Never used again, so that a dropped table's items are dead. */
  readonly id: string;
  /** Names of the key attributes, partition key first. */
  readonly keyNames: readonly string[];
  readonly indexes: readonly IndexModel[];
  /** Where change records go, if anywhere. */
  readonly stream: StreamTarget | undefined;
  readonly record: TableRecord;
}

/** The stream that a table writes to. */
export interface StreamTarget {
  /** Four bytes that begin the storage keys of its records. */
  readonly id: string;
  readonly viewType: StreamViewType;
}

/** What is stored of a table. Times are milliseconds. */
export interface TableRecord {
  readonly id: string;
  /** As DescribeTable gives it, but for counts, which are kept apart, and times, which are numbers. */
  readonly description: StoredTableDescription;
  /** Storage ids of the indexes by name. */
  readonly indexIds: Readonly<Record<string, string>>;
  /** The storage id of the stream that is on. */
  readonly streamId?: string | undefined;
  readonly timeToLive?: TimeToLiveRecord | undefined;
  readonly tags: NonNullable<TagResourceInput["Tags"]>;
}

/** How items of a table expire. */
export interface TimeToLiveRecord {
  readonly attribute: string;
  /** Four bytes that begin the storage keys of the expiry entries. Anew each time that expiry is switched on. */
  readonly id: string;
  /** Whether all items that were there before have their entries. */
  readonly filled: boolean;
}

/** {@link TableDescription} as JSON keeps it. */
export type StoredTableDescription = Stored<TableDescription> & {
  readonly TableName: string;
  readonly TableArn: string;
};

/** Builds the model of a stored table. */
export function tableModel(record: TableRecord): TableModel {
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

/** A type as JSON keeps it here: dates are milliseconds since 1970. */
export type Stored<Value> = Value extends Date
  ? number
  : Value extends (infer Element)[]
    ? Stored<Element>[]
    : Value extends object
      ? { [Name in keyof Value]: Stored<Value[Name]> }
      : Value;
