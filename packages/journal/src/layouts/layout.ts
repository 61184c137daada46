import type { AttributeValue, Item, Key } from "@tablekeep/core";

/** The names of the layouts. */
export type LayoutName = "packed" | "bucketed" | "linear" | "scattered";

/** A mark that is written with an append. Marks are never lowered. */
export interface MarkWrite {
  readonly key: Key;
  readonly attribute: string;
  readonly value: number;
}

/** Records by which journals that cannot share a table detect each other. */
export interface Exclusion {
  /** Written together with the journal's own record; absent if that record is enough. */
  readonly mine?: Key;
  /** Written by those that cannot share the table with this journal. */
  readonly theirs: Key;
}

/** The keys of all marks that an id may have. */
export interface MarkKeys {
  readonly high: readonly Key[];
  readonly low: readonly Key[];
  /** Marks of the original without information. Never read, but removed by a purge. */
  readonly unused?: readonly Key[];
}

/** Rows of one id that one request reads in order. */
export interface RowSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Maps journal data to keys and back, without I/O. Appending, settling, replaying and deleting are written once, for
 * all layouts, against this interface.
 */
export interface Layout {
  readonly name: LayoutName;
  /** The names of the table's key attributes. */
  readonly keyNames: readonly [string] | readonly [string, string];
  eventKey(persistenceId: string, sequenceNr: number): Key;
  /** The sequence number of an event's key. */
  sequenceNrOf(persistenceId: string, item: Item): number;
  /** Returns the role of an item in this journal, by its key: the inverse of the functions that return keys. */
  describe(item: Item): JournalItem;
  /** The item that records the current writer and what is staged. */
  writerKey(persistenceId: string): Key;
  /** The record that a staged batch beginning at this number is committed. */
  commitKey(persistenceId: string, first: number): Key;
  /** The query that reads all commit records of an id; none if a table cannot be queried by a part of its key. */
  readonly commitQuery?: (persistenceId: string) => SpanQuery;
  /** The journal's own record: layout, shards, fencing, format. */
  metadataKey(): Key;
  /**
   * For layouts in which journals with and without a name could share keys: records by which one excludes the other.
   */
  readonly exclusion?: Exclusion;
  /** The place of an id in the registry; none if a table cannot be queried by a part of its key. */
  readonly registryKey?: (shard: number, place: number) => Key;
  /** The query that reads one shard of the registry. */
  readonly registryQuery?: (shard: number) => SpanQuery;
  /** The keys of all marks that an id may have. */
  markKeys(persistenceId: string): MarkKeys;
  /** The attributes that contain the sequence numbers of marks. */
  readonly markAttributes: { readonly high: string; readonly low: string };
  /** The high mark of an id whose last event is `last`; undefined if the mark `known` is high enough already. */
  highMark(persistenceId: string, known: number, last: number): MarkWrite | undefined;
  /** The low mark that says that everything below `lowest` is deleted. */
  lowMark(persistenceId: string, lowest: number): MarkWrite;
  /** Divides a range of sequence numbers into spans that are read with one query each. */
  spans(from: number, to: number): Iterable<RowSpan>;
  /** The query that reads a span, or undefined where rows can only be read by key. */
  spanQuery(persistenceId: string, span: RowSpan): SpanQuery | undefined;
  /** The last number of the span that `sequenceNr` is stored in. */
  endOfSpan(sequenceNr: number): number;
  /** For layouts with several events in an item: how the items of an id are read. */
  readonly packed?: PackedKeys;
}

/** The keys of a layout with several events in an item. */
export interface PackedKeys {
  /** The query of all items of an id from a number on, the writer item last. */
  wholeQuery(persistenceId: string, from: number): SpanQuery;
  /** The key of the snapshot of the state after an event. */
  snapshotKey(persistenceId: string, sequenceNr: number): Key;
  /** The kind of an item that {@link PackedKeys.wholeQuery} reads, by its key. */
  roleOf(item: Item): "event" | "snapshot" | "writer";
}

/** The key condition of a query over one span. */
export interface SpanQuery {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, AttributeValue>;
}

/** The role of an item in a journal. */
export type JournalItem =
  | { readonly kind: "event"; readonly persistenceId: string; readonly sequenceNr: number }
  | { readonly kind: "high-mark" | "low-mark"; readonly persistenceId: string; readonly shard: number }
  | { readonly kind: "writer" | "snapshot"; readonly persistenceId: string }
  | { readonly kind: "commit"; readonly persistenceId: string; readonly first: number }
  | { readonly kind: "registry"; readonly persistenceId: string }
  /** The journal's own record. */
  | { readonly kind: "record" }
  /** An item of another journal, or an unknown one. */
  | { readonly kind: "other" };

/**
 * Describes an item whose partition key begins with the journal's name and one or two letters, and ends with a number.
 * `number` is the sort key; undefined if the table has none.
 */
export function describeNamed(text: string, prefix: string, item: Item, number?: number): JournalItem {
  if (!text.startsWith(prefix)) return { kind: "other" };
  const [, kind, rest = ""] = /^(P|SH|SL|W|C|R|M)(?:-(.*))?$/s.exec(text.slice(prefix.length)) ?? [];
  const [, id, last] = /^(.*)-(\d+)$/s.exec(rest) ?? [];
  if (kind === "SH" && id !== undefined) return { kind: "high-mark", persistenceId: id, shard: Number(last) };
  if (kind === "SL" && id !== undefined) return { kind: "low-mark", persistenceId: id, shard: Number(last) };
  if (kind === "W") return { kind: "writer", persistenceId: rest };
  if (kind === "C" && number !== undefined) return { kind: "commit", persistenceId: rest, first: number };
  if (kind === "C" && id !== undefined) return { kind: "commit", persistenceId: id, first: Number(last) };
  if (kind === "R") return describeRegistry(item);
  return kind === "M" && rest === "" ? { kind: "record" } : { kind: "other" };
}

/** Describes a registry row. */
export function describeRegistry(item: Item): JournalItem {
  const persistenceId = item["persistence_id"]?.S;
  return persistenceId === undefined ? { kind: "other" } : { kind: "registry", persistenceId };
}

/** Returns a number attribute of an item; undefined if it is absent. */
export function numberOf(item: Item | undefined, attribute: string): number | undefined {
  const text = item?.[attribute]?.N;
  return text === undefined ? undefined : Number(text);
}
