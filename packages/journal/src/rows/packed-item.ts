import { crc32 } from "node:zlib";
import type { Item } from "@tablekeep/core";
import { MalformedBytes } from "../codecs/bytes.ts";
import { JournalError } from "../errors/journal-error.ts";
import { asStaged, checksumBytes, checksumFrom, inverted } from "./checksum.ts";
import { type EventRow, firstOfBatch, lastOfBatch } from "./event-row.ts";
import { decodeEvents, encodeEvents, isOneWrite, type PackedHead, type TaggedHead } from "./packed-events.ts";
import { fewDigits, type RowKey } from "./row-attributes.ts";
import { tombstoneNames } from "./tombstone.ts";

/** The attributes of an item of the packed layout that holds events. */
export const packedNames = {
  writeId: "wid",
  writerUuid: "w",
  time: "ts",
  /** How many sequence numbers the item holds, including deleted ones. */
  count: "events",
  /** The first sequence number that is not deleted. Absent if none is deleted. */
  from: "from",
  /** How many events of its first write are in earlier items, and how many of its last write in later ones. */
  before: "before",
  after: "after",
  bytes: "ev",
  checksum: "crc",
  tags: "tags",
} as const;

/** The sequence numbers of an item. */
export interface PackedSpan {
  /** The sequence number in its key. */
  readonly first: number;
  readonly last: number;
  /** The first sequence number of the write that its first event belongs to, and the last one of its last event's write. */
  readonly writeFirst: number;
  readonly writeLast: number;
}

/** Returns the sequence numbers of an item from its attributes, unchecked: deletions must also work on corrupt items. */
export function packedSpan(item: Item, first: number): PackedSpan {
  const isTombstone = item[tombstoneNames.mark]?.BOOL === true;
  const last = isTombstone
    ? Math.max(first, attributeNumber(item, tombstoneNames.last) ?? first)
    : first + Math.max(1, attributeNumber(item, packedNames.count) ?? 1) - 1;
  return {
    first,
    last,
    writeFirst: first - (attributeNumber(item, packedNames.before) ?? 0),
    writeLast: last + (attributeNumber(item, packedNames.after) ?? 0),
  };
}

function attributeNumber(item: Item, name: string): number | undefined {
  const number = fewDigits(item[name]?.N ?? "");
  return number === -1 ? undefined : number;
}

/** A write, as the attributes of its first item describe it. */
export interface DescribedWrite {
  readonly writeId: string;
  readonly writerUuid: string;
  readonly first: number;
  readonly last: number;
  /** Whether no other item has events of it. */
  readonly isWhole: boolean;
  /** The distinct tags of its events in this item. */
  readonly tags: readonly string[];
}

/**
 * Returns the write of an item that begins and holds one write, from its attributes: its events are not decoded, and its checksum is not
 * compared. Undefined for any other item.
 */
export function packedWrite(item: Item, first: number): DescribedWrite | undefined {
  const bytes = item[packedNames.bytes]?.B;
  const count = attributeNumber(item, packedNames.count);
  if (bytes === undefined || count === undefined || item[packedNames.from] !== undefined) return undefined;
  if (!isOneWrite(bytes, count)) return undefined;
  const after = attributeNumber(item, packedNames.after) ?? 0;
  return {
    writeId: item[packedNames.writeId]?.S ?? "",
    writerUuid: item[packedNames.writerUuid]?.S ?? "",
    first,
    last: first + count - 1 + after,
    isWhole: after === 0,
    tags: item[packedNames.tags]?.SS ?? noTags,
  };
}

/** Returns the attributes that apply to all events of an item. */
export function packedHead(item: Item): PackedHead {
  return {
    writeId: item[packedNames.writeId]?.S ?? "",
    writerUuid: item[packedNames.writerUuid]?.S ?? "",
    time: Number(item[packedNames.time]?.N ?? 0),
  };
}

/**
 * Returns the attributes of an item with these events, except for its key. `first` is the sequence number in the key: lower than
 * that of the first event if earlier events of the item are deleted.
 */
export function encodePackedItem(rows: readonly EventRow[], head: PackedHead, first: number): Item {
  const firstRow = rows[0] as EventRow;
  const lastRow = rows[rows.length - 1] as EventRow;
  const count = lastRow.sequenceNr - first + 1;
  const before = first - Math.min(first, firstOfBatch(firstRow));
  const after = lastOfBatch(lastRow) - lastRow.sequenceNr;
  const tags = tagsOf(rows);
  const bytes = encodeEvents(rows, { ...head, tags });
  const item: Item = {
    [packedNames.writeId]: { S: head.writeId },
    [packedNames.writerUuid]: { S: head.writerUuid },
    [packedNames.time]: { N: String(head.time) },
    [packedNames.count]: { N: String(count) },
    [packedNames.bytes]: { B: bytes },
  };
  const from = firstRow.sequenceNr;
  if (from !== first) item[packedNames.from] = { N: String(from) };
  if (before > 0) item[packedNames.before] = { N: String(before) };
  if (after > 0) item[packedNames.after] = { N: String(after) };
  if (tags.length > 0) item[packedNames.tags] = { SS: tags };
  const fields = { persistenceId: firstRow.persistenceId, first, count, from, before, after, tags };
  item[packedNames.checksum] = { B: checksumBytes(packedChecksum(fields, head, bytes)) };
  return item;
}

/** Returns the attributes of an item that is written again with other rows, except for its key. A staged one stays staged. */
export function rewritePackedItem(item: Item, rows: readonly EventRow[], first: number): Item {
  const attributes = encodePackedItem(rows, packedHead(item), first);
  return item["staged"]?.BOOL === true ? asStaged(attributes, packedNames.checksum) : attributes;
}

/** Throws `JOURNAL_ITEM_CORRUPT` for an item with events that is marked as a tombstone. */
export function checkTombstone(item: Item, key: RowKey): void {
  if (item[packedNames.bytes] !== undefined || item[packedNames.checksum] !== undefined)
    throw itemCorrupt(key, `it has events, and is marked as a tombstone by ${tombstoneNames.mark}`);
}

/** Returns the distinct tags of the events, sorted. */
function tagsOf(rows: readonly EventRow[]): string[] {
  const tags = new Set<string>();
  for (const row of rows) for (const tag of row.tags) tags.add(tag);
  return [...tags].sort();
}

/** The fields of an item that its checksum covers, besides its head and its events. */
interface CheckedFields {
  readonly persistenceId: string;
  readonly first: number;
  readonly count: number;
  readonly from: number;
  readonly before: number;
  readonly after: number;
  readonly tags: readonly string[];
}

/** Returns the CRC-32 of an item's contents and key. It covers lengths too, so bytes moved between fields are detected. */
function packedChecksum(
  fields: CheckedFields,
  { writeId, writerUuid, time }: PackedHead,
  bytes: Uint8Array,
): number {
  const { persistenceId: id, first, count, from, before, after, tags } = fields;
  const numbers = `${first},${count},${from},${before},${after},${time},${bytes.length}`;
  let texts = `${id.length}:${id},${writeId.length}:${writeId},${writerUuid.length}:${writerUuid}`;
  for (const tag of tags) texts += `,${tag.length}:${tag}`;
  return crc32(bytes, crc32(`${numbers};${texts}`));
}

/**
 * Returns the events of an item of the packed layout, in order. Throws `JOURNAL_ITEM_CORRUPT` unless the item is exactly what was
 * stored at its key.
 */
export function decodePackedItem(item: Item, key: RowKey): EventRow[] {
  const { persistenceId, sequenceNr: first } = key;
  const bytes = item[packedNames.bytes]?.B;
  if (bytes === undefined) throw itemCorrupt(key, `${packedNames.bytes} must be binary`);
  const isStaged = item["staged"]?.BOOL === true;
  const checksum = item[packedNames.checksum]?.B ?? noBytes;
  const stored = checksumFrom(isStaged ? inverted(checksum) : checksum);
  const tags = item[packedNames.tags]?.SS?.toSorted() ?? noTags;
  const head = {
    writeId: text(item, packedNames.writeId, key),
    writerUuid: text(item, packedNames.writerUuid, key),
    time: whole(item, packedNames.time, key),
    tags,
  };
  const fields = {
    persistenceId,
    first,
    count: whole(item, packedNames.count, key),
    from: whole(item, packedNames.from, key, first),
    before: whole(item, packedNames.before, key, 0),
    after: whole(item, packedNames.after, key, 0),
    tags,
  };
  if (stored !== packedChecksum(fields, head, bytes)) throw itemCorrupt(key, "its checksum does not match");
  const rows = eventsOf(bytes, head, key, fields.from, isStaged);
  if (rows.length === 0 || fields.from < first || fields.from + rows.length !== first + fields.count)
    throw itemCorrupt(
      key,
      `it holds ${rows.length} events from ${fields.from} on, not ${fields.count} from ${first}`,
    );
  return rows;
}

const noBytes = new Uint8Array();
const noTags: readonly string[] = Object.freeze([]);

/** Returns a number of an item. Throws if it is not one, or is missing without a default. */
function whole(item: Item, name: string, key: RowKey, otherwise?: number): number {
  const value = item[name];
  if (value === undefined && otherwise !== undefined) return otherwise;
  const number = fewDigits(value?.N ?? "");
  const exact = number === -1 ? Number(value?.N) : number;
  if (value?.N === undefined || !Number.isSafeInteger(exact) || exact < 0)
    throw itemCorrupt(key, `${name} must be an integer of at least 0`);
  return exact;
}

function text(item: Item, name: string, key: RowKey): string {
  const value = item[name]?.S;
  if (value === undefined) throw itemCorrupt(key, `${name} must be a string`);
  return value;
}

function eventsOf(
  bytes: Uint8Array,
  head: TaggedHead,
  key: RowKey,
  first: number,
  staged: boolean,
): EventRow[] {
  try {
    return decodeEvents(bytes, head, { persistenceId: key.persistenceId, first, staged });
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw itemCorrupt(key, `its events ${error.message}`, error);
  }
}

/** Returns the error for a corrupt item of the packed layout. */
function itemCorrupt(
  { persistenceId, sequenceNr }: RowKey,
  reason: string,
  cause?: unknown,
): JournalError<"JOURNAL_ITEM_CORRUPT"> {
  return new JournalError(
    "JOURNAL_ITEM_CORRUPT",
    `the item at event ${sequenceNr} of ${JSON.stringify(persistenceId)} is corrupt: ${reason} (restore the item from a backup, or delete the events up to its last; if it is the newest item, purge the id)`,
    { persistenceId, sequenceNr, reason },
    { cause },
  );
}
