import { hash } from "node:crypto";
import {
  type AttributeDefinition,
  type AttributeValue,
  attributeSize,
  canonicalNumber,
  type Item,
  type KeySchemaElement,
  type Projection,
  type TableDescription,
} from "@tablekeep/core";

/** One attribute of a key, and its part of the key. An index may have several of each part. */
export interface KeyPart {
  readonly name: string;
  readonly type: string;
  readonly isSort: boolean;
}

/** The properties of an index that determine its entries. */
export interface VerifiedIndex {
  readonly name: string;
  readonly isLocal: boolean;
  readonly isActive: boolean;
  readonly keys: readonly KeyPart[];
  /** The attributes that it holds; undefined if it holds all. */
  readonly attributes?: ReadonlySet<string>;
  readonly itemCount: number;
  readonly sizeBytes: number;
}

// AWS: Limits — sizes of keys in bytes. Several attributes of one part are added up.
const maxPartitionBytes = 2048;
const maxSortBytes = 1024;

/** The key of a table or an index, with the types of its attributes. */
export function keyParts(
  schema: readonly KeySchemaElement[] = [],
  definitions: readonly AttributeDefinition[] = [],
): readonly KeyPart[] {
  const types = new Map(
    definitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
  return schema.map(({ AttributeName: name = "", KeyType }) => ({
    name,
    type: types.get(name) ?? "S",
    isSort: KeyType === "RANGE",
  }));
}

/** The indexes of a table. */
export function indexesOf(table: TableDescription): readonly VerifiedIndex[] {
  const tableKeys = keyParts(table.KeySchema, table.AttributeDefinitions);
  const index = (isLocal: boolean) => (one: AnyIndex) => {
    const keys = keyParts(one.KeySchema, table.AttributeDefinitions);
    const { ProjectionType, NonKeyAttributes = [] } = one.Projection ?? {};
    const held = [...tableKeys, ...keys].map(({ name }) => name);
    return {
      name: one.IndexName ?? "",
      isLocal,
      isActive: (one.IndexStatus ?? "ACTIVE") === "ACTIVE" && one.Backfilling !== true,
      keys,
      ...(ProjectionType !== "ALL" && { attributes: new Set([...held, ...NonKeyAttributes]) }),
      itemCount: one.ItemCount ?? 0,
      sizeBytes: one.IndexSizeBytes ?? 0,
    };
  };
  return [
    ...(table.GlobalSecondaryIndexes ?? []).map(index(false)),
    ...(table.LocalSecondaryIndexes ?? []).map(index(true)),
  ];
}

interface AnyIndex {
  readonly IndexName?: string;
  readonly IndexStatus?: string;
  readonly Backfilling?: boolean;
  readonly KeySchema?: readonly KeySchemaElement[];
  readonly Projection?: Projection;
  readonly ItemCount?: number;
  readonly IndexSizeBytes?: number;
}

/** Why an item's values are not valid as a key; undefined if they are. Absent attributes count only if they are required. */
export function keyProblem(
  keys: readonly KeyPart[],
  item: Item,
  { isRequired }: { readonly isRequired: boolean },
): string | undefined {
  for (const { name, type } of keys) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (value === undefined && isRequired) return `attribute ${name} is missing`;
    if (value === undefined) continue;
    const actual = Object.keys(value)[0] ?? "nothing";
    if (actual !== type) return `attribute ${name} has type ${actual}, not ${type}`;
    if (value.S === "" || value.B?.length === 0) return `attribute ${name} is empty`;
  }
  for (const isSort of [false, true]) {
    const parts = keys.filter((key) => key.isSort === isSort && Object.hasOwn(item, key.name));
    const bytes = parts.reduce((sum, { name }) => sum + attributeSize(item[name] as AttributeValue), 0);
    const limit = isSort ? maxSortBytes : maxPartitionBytes;
    if (bytes > limit)
      return `the ${isSort ? "sort" : "partition"} key has ${bytes} bytes, more than ${limit}`;
  }
  return undefined;
}

/** The entry that an index should have for an item; undefined if the item does not belong to it. */
export function entryOf({ keys, attributes }: VerifiedIndex, item: Item): Item | undefined {
  if (keyProblem(keys, item, { isRequired: true }) !== undefined) return undefined;
  if (attributes === undefined) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => attributes.has(name)));
}

/** The attributes of a key. */
export function keyOf(keys: readonly KeyPart[], item: Item): Item {
  return Object.fromEntries(
    keys.flatMap(({ name }) => (Object.hasOwn(item, name) ? [[name, item[name] as AttributeValue]] : [])),
  );
}

/** A number of 48 bits that is the same for equal items, whatever the order of their attributes and of the members of sets. */
export function fingerprint(item: Item): number {
  return Number.parseInt(hash("sha256", JSON.stringify(canonicalMap(item))).slice(0, 12), 16);
}

function canonicalMap(item: Item): unknown {
  return Object.keys(item)
    .toSorted()
    .map((name) => [name, canonical(item[name] as AttributeValue)]);
}

function canonical(value: AttributeValue): unknown {
  if (value.N !== undefined) return ["N", canonicalNumber(value.N)];
  if (value.B !== undefined) return ["B", base64(value.B)];
  if (value.SS !== undefined) return ["SS", value.SS.toSorted()];
  if (value.NS !== undefined) return ["NS", value.NS.map(canonicalNumber).toSorted()];
  if (value.BS !== undefined) return ["BS", value.BS.map(base64).toSorted()];
  if (value.L !== undefined) return ["L", value.L.map(canonical)];
  if (value.M !== undefined) return ["M", canonicalMap(value.M)];
  return value;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
