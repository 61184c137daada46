import type { Item } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/codec.ts";
import { checksum, checksumBytes, compareChecksum, rowChecksum } from "./checksum.ts";
import type { BatchPosition, EventRow } from "./event-row.ts";
import { binary, int32, type RowKey, rowCorrupt, text, wholeNumber } from "./row-attributes.ts";

/** Adds a row's place in its atomic write. One event alone has none: the original would not deliver it. */
export function addBatchPosition(item: Item, batch: BatchPosition | undefined): void {
  if (batch === undefined || batch.lastIndex === 0) return;
  item["idx"] = { N: String(batch.index) };
  item["cnt"] = { N: String(batch.lastIndex) };
}

/** Reads a row's place in its atomic write. Despite its name, `cnt` is the index of the last row. */
export function decodeBatchPosition(item: Item, key: RowKey): BatchPosition | undefined {
  const lastIndex = wholeNumber(item, "cnt", key);
  if (lastIndex === undefined) {
    // As a single event it would be returned alone, and the others of its write would not. A naive table may use the name for something else.
    if (item["idx"]?.N !== undefined && !isForeign(item))
      throw rowCorrupt(key, "cnt", "is missing beside idx");
    return undefined;
  }
  const index = wholeNumber(item, "idx", key);
  if (index === undefined || index < 0 || index > lastIndex)
    throw rowCorrupt(key, "idx", `is not between 0 and cnt, which is ${lastIndex}`);
  return { index, lastIndex };
}

/** Whether neither the plugin since 1.0 nor we have written a row. */
function isForeign(item: Item): boolean {
  return item["event"] === undefined && item["pay"] === undefined && item["wid"] === undefined;
}

/**
 * Our attributes beside the original's, in every item format. The original reads rows attribute by attribute
 * and does not see them.
 */
export const ownAttributes: readonly string[] = [
  "wid",
  "ts",
  "crc",
  "sum",
  "staged",
  "above_hole",
  "tags",
  "meta",
  "meta_ser_id",
  "meta_ser_manifest",
  "expires",
];

/**
 * Adds our attributes. A row without a write id is the original's: it gets none. (One object that
 * grows: every event that is appended comes through here, and spreading objects into each other takes four times as long.)
 */
export function addOwnAttributes(item: Item, row: EventRow): void {
  const { writeId, timestamp, tags, metadata } = row;
  if (writeId === undefined) return;
  item["wid"] = { S: writeId };
  item["sum"] = { B: checksumBytes(rowChecksum(row)) };
  if (timestamp !== undefined) item["ts"] = { N: String(timestamp) };
  if (row.staged) item["staged"] = { BOOL: true };
  if (row.aboveHole === true) item["above_hole"] = { BOOL: true };
  if (tags.length > 0) item["tags"] = { SS: [...new Set(tags)].sort() };
  if (metadata !== undefined) Object.assign(item, encodeMetadata(metadata));
  if (row.expiresAt !== undefined) item["expires"] = { N: String(row.expiresAt) };
}

/** The attributes that hold metadata. */
export function encodeMetadata({ serializerId, manifest, bytes }: EncodedPayload): Item {
  return {
    meta: { B: bytes },
    meta_ser_id: { N: String(serializerId) },
    ...(manifest !== "" && { meta_ser_manifest: { S: manifest } }),
  };
}

/** The part of a row that our own attributes contain. */
export type OwnPart = Pick<
  EventRow,
  "writeId" | "timestamp" | "tags" | "metadata" | "staged" | "aboveHole" | "expiresAt"
>;

/** What a row of the original has of it. */
const nothing: OwnPart = Object.freeze({
  writeId: undefined,
  timestamp: undefined,
  tags: Object.freeze([]),
  metadata: undefined,
  staged: false,
  aboveHole: undefined,
  expiresAt: undefined,
});

/**
 * Reads our attributes. Every row of ours has a write id. In a row without one, attributes of these names are those of other programs, which
 * the original ignores too.
 */
export function decodeOwnAttributes(item: Item, key: RowKey): OwnPart {
  const writeId = item["wid"]?.S;
  if (writeId === undefined) return nothing;
  return {
    writeId,
    timestamp: wholeNumber(item, "ts", key),
    tags: item["tags"]?.SS ?? [],
    metadata: decodeMetadata(item, key),
    staged: item["staged"]?.BOOL === true,
    aboveHole: item["above_hole"]?.BOOL,
    expiresAt: wholeNumber(item, "expires", key),
  };
}

/** Reads them; undefined if there are none. */
export function decodeMetadata(item: Item, key: RowKey): EncodedPayload | undefined {
  const bytes = binary(item, "meta", key);
  if (bytes === undefined) return undefined;
  const serializerId = int32(item, "meta_ser_id", key);
  if (serializerId === undefined) throw rowCorrupt(key, "meta_ser_id", "is missing");
  return { serializerId, manifest: text(item, "meta_ser_manifest", key), bytes };
}

/**
 * Compares a row with the checksum that was stored with it. Rows of the original have none and pass. Those that we wrote up to version 0.2
 * have `crc`, which covers less than `sum`.
 */
export function verifyChecksum(row: EventRow, item: Item): void {
  if (row.writeId === undefined) return;
  const advice = "restore the item from a backup, or delete it";
  compareChecksum(row, item, "sum", rowChecksum, { what: "event", advice });
  compareChecksum(row, item, "crc", checksum, { what: "event", advice });
}
