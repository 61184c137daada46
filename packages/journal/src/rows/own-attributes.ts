import type { Item } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/encoded-payload.ts";
import { JournalError } from "../journal-error.ts";
import { checksum, checksumBytes, checksumFrom } from "./checksum.ts";
import type { EventRow } from "./event-row.ts";
import { binary, int32, text, wholeNumber } from "./row-attributes.ts";
import { type RowKey, rowCorrupt } from "./row-key.ts";

/**
 * What we write beside the original's attributes, in every item format. The original reads rows attribute by attribute
 * and does not see them.
 */
export const ownAttributes: readonly string[] = [
  "wid",
  "ts",
  "crc",
  "staged",
  "above_hole",
  "tags",
  "meta",
  "meta_ser_id",
  "meta_ser_manifest",
];

/**
 * Adds the attributes of ours. A row without a write id is the original's: it gets no checksum either. (One object that
 * grows: every event that is appended comes through here, and spreading objects into each other takes four times as long.)
 */
export function addOwnAttributes(item: Item, row: EventRow): void {
  const { writeId, timestamp, tags, metadata } = row;
  if (writeId !== undefined) {
    item["wid"] = { S: writeId };
    item["crc"] = { B: checksumBytes(checksum(row)) };
  }
  if (timestamp !== undefined) item["ts"] = { N: String(timestamp) };
  if (row.staged) item["staged"] = { BOOL: true };
  if (row.aboveHole === true) item["above_hole"] = { BOOL: true };
  if (tags.length > 0) item["tags"] = { SS: [...new Set(tags)].sort() };
  if (metadata !== undefined) Object.assign(item, encodeMetadata(metadata));
}

/** The attributes that hold metadata. */
export function encodeMetadata({ serializerId, manifest, bytes }: EncodedPayload): Item {
  return {
    meta: { B: bytes },
    meta_ser_id: { N: String(serializerId) },
    ...(manifest !== "" && { meta_ser_manifest: { S: manifest } }),
  };
}

/** The part of a row that the attributes of ours tell. */
export type OwnPart = Pick<EventRow, "writeId" | "timestamp" | "tags" | "metadata" | "staged" | "aboveHole">;

/** Reads the attributes of ours. */
export function decodeOwnAttributes(item: Item, key: RowKey): OwnPart {
  return {
    writeId: item["wid"]?.S,
    timestamp: wholeNumber(item, "ts", key),
    tags: item["tags"]?.SS ?? [],
    metadata: decodeMetadata(item, key),
    staged: item["staged"]?.BOOL === true,
    aboveHole: item["above_hole"]?.BOOL,
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

/** Compares a row with the checksum that was stored with it. Rows of the original have none and pass. */
export function verifyChecksum(row: EventRow, item: Item): void {
  const bytes = binary(item, "crc", row);
  if (bytes === undefined) return;
  const stored = checksumFrom(bytes);
  if (stored === undefined) throw rowCorrupt(row, "crc", "has not four bytes");
  const computed = checksum(row);
  if (stored === computed) return;
  const { persistenceId, sequenceNr } = row;
  throw new JournalError(
    "JOURNAL_CHECKSUM_MISMATCH",
    `event ${sequenceNr} of ${JSON.stringify(persistenceId)} is not what was stored (restore the item from a backup, or delete it)`,
    { persistenceId, sequenceNr, stored, computed },
  );
}
