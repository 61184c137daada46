import { crc32 } from "node:zlib";
import type { Item } from "@tablekeep/core";
import { MalformedBytes } from "../codecs/bytes.ts";
import { JournalError } from "../errors/journal-error.ts";
import { checksumBytes, checksumFrom } from "./checksum.ts";
import { type EventRow, firstOfBatch, lastOfBatch } from "./event-row.ts";
import { decodeEvents, encodeEvents, type PackedHead, type TaggedHead } from "./packed-events.ts";
import { fewDigits, type RowKey } from "./row-attributes.ts";
import { tombstoneNames } from "./tombstone.ts";

/** The attributes of an item of the packed layout that holds events. */
export const packedNames = {
  writeId: "wid",
  writerUuid: "w",
  time: "ts",
  /** How many numbers the item holds, deleted ones included. */
  count: "events",
  /** Its first number that is not deleted, if that is not its first. */
  from: "from",
  /** Events of its first write in items before it, and of its last write in items after it. */
  before: "before",
  after: "after",
  bytes: "ev",
  checksum: "crc",
  tags: "tags",
} as const;

/** Which numbers an item is about. */
export interface PackedSpan {
  /** Its key. */
  readonly first: number;
  readonly last: number;
  /** The first number of the write that its first event belongs to, and the last of the one that its last belongs to. */
  readonly writeFirst: number;
  readonly writeLast: number;
}

/** The numbers of an item by its attributes, unchecked: for those who clear away, and must not stumble over damage. */
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

/** What an item says of its events as a whole. */
export function packedHead(item: Item): PackedHead {
  return {
    writeId: item[packedNames.writeId]?.S ?? "",
    writerUuid: item[packedNames.writerUuid]?.S ?? "",
    time: Number(item[packedNames.time]?.N ?? 0),
  };
}

/**
 * The attributes of an item that holds these events, without those of its key. `first` is its key: lower than the number of the
 * first event where those before it are deleted.
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
  const told = { persistenceId: firstRow.persistenceId, first, count, from, before, after, tags };
  item[packedNames.checksum] = { B: checksumBytes(packedChecksum(told, head, bytes)) };
  return item;
}

/** Every tag of the events, once. */
function tagsOf(rows: readonly EventRow[]): string[] {
  const tags = new Set<string>();
  for (const row of rows) for (const tag of row.tags) tags.add(tag);
  return [...tags].sort();
}

interface Told {
  readonly persistenceId: string;
  readonly first: number;
  readonly count: number;
  readonly from: number;
  readonly before: number;
  readonly after: number;
  readonly tags: readonly string[];
}

/** The CRC-32 of all that an item says, and of the key where it says it. Lengths go in too, so that nothing can move unseen. */
function packedChecksum(told: Told, { writeId, writerUuid, time }: PackedHead, bytes: Uint8Array): number {
  const { persistenceId, first, count, from, before, after, tags } = told;
  const texts = [persistenceId, writeId, writerUuid, ...tags].map((text) => `${text.length}:${text}`);
  const numbers = [first, count, from, before, after, time, bytes.length];
  return crc32(bytes, crc32(`${numbers.join(",")};${texts.join(",")}`));
}

/**
 * The events of an item of the packed layout, in order. Throws `JOURNAL_ITEM_CORRUPT` unless it says exactly what was stored at
 * its key.
 */
export function decodePackedItem(item: Item, key: RowKey): EventRow[] {
  const { persistenceId, sequenceNr: first } = key;
  const whole = (name: string, otherwise?: number): number => {
    const value = item[name];
    if (value === undefined && otherwise !== undefined) return otherwise;
    const number = fewDigits(value?.N ?? "");
    const exact = number === -1 ? Number(value?.N) : number;
    if (value?.N === undefined || !Number.isSafeInteger(exact) || exact < 0)
      throw itemCorrupt(key, `${name} is not a whole number from 0 up`);
    return exact;
  };
  const text = (name: string): string => {
    const value = item[name]?.S;
    if (value === undefined) throw itemCorrupt(key, `${name} is not a string`);
    return value;
  };
  const bytes = item[packedNames.bytes]?.B;
  if (bytes === undefined) throw itemCorrupt(key, `${packedNames.bytes} is not binary`);
  const stored = checksumFrom(item[packedNames.checksum]?.B ?? new Uint8Array());
  const head = {
    writeId: text(packedNames.writeId),
    writerUuid: text(packedNames.writerUuid),
    time: whole(packedNames.time),
  };
  const told = {
    persistenceId,
    first,
    count: whole(packedNames.count),
    from: whole(packedNames.from, first),
    before: whole(packedNames.before, 0),
    after: whole(packedNames.after, 0),
    tags: (item[packedNames.tags]?.SS ?? []).toSorted(),
  };
  if (stored !== packedChecksum(told, head, bytes)) throw itemCorrupt(key, "its checksum does not match");
  const rows = eventsOf(bytes, { ...head, tags: told.tags }, key, told.from, item["staged"]?.BOOL === true);
  if (rows.length === 0 || told.from < first || told.from + rows.length !== first + told.count)
    throw itemCorrupt(
      key,
      `it holds ${rows.length} events from ${told.from} on, not ${told.count} from ${first}`,
    );
  return rows;
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

/** The error for an item of the packed layout that is not as it was stored. */
function itemCorrupt(
  { persistenceId, sequenceNr }: RowKey,
  reason: string,
  cause?: unknown,
): JournalError<"JOURNAL_ITEM_CORRUPT"> {
  return new JournalError(
    "JOURNAL_ITEM_CORRUPT",
    `the item of events ${sequenceNr} and following of ${JSON.stringify(persistenceId)} is corrupt: ${reason} (restore the item from a backup, or delete the events up to its last)`,
    { persistenceId, sequenceNr, reason },
    { cause },
  );
}
