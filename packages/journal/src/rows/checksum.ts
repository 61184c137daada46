import { crc32 } from "node:zlib";
import type { Item } from "@tablekeep/core";
import type { EncodedPayload } from "../codecs/codec.ts";
import { JournalError } from "../errors/journal-error.ts";
import type { EventRow } from "./event-row.ts";
import { binary, type RowKey, rowCorrupt } from "./row-attributes.ts";

/** The CRC-32 of every single byte. */
const table = Int32Array.from({ length: 256 }, (_unused, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** Above this length native code is faster: calling it costs as much as computing this many characters here. */
const maxCharacters = 64;

/** Returns the CRC-32 of a short string, continuing from `before`. */
export function crc32OfHead(text: string, before: number): number {
  if (text.length > maxCharacters) return crc32(text, before);
  let crc = ~before;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return crc32(text, before);
    crc = (table[(crc ^ code) & 255] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}

/**
 * The CRC-32 of what an event says: serializer id, both manifests, payload, and metadata if there are any. Lengths go
 * in too, so that no byte can move from one to the next unseen.
 */
export function checksum({ payload, manifest, metadata }: EventRow, before = 0): number {
  const ofManifest = manifest === "" ? before : crc32OfHead(`m${manifest.length}:${manifest}`, before);
  const ofPayload = checksumOf(payload, ofManifest);
  return metadata === undefined ? ofPayload : checksumOf(metadata, ofPayload);
}

/**
 * The CRC-32 of all that a row says, besides its id and sequence number, which its key says too, and what the plugin 0.x changes in a row: soft
 * deletion and confirmations. That of a staged row is inverted: see {@link asStaged}.
 */
export function rowChecksum(row: EventRow): number {
  const { batch, writeId = "", writerUuid, timestamp = "", expiresAt = "" } = row;
  const place = batch === undefined || batch.lastIndex === 0 ? "" : `${batch.index}/${batch.lastIndex}`;
  const above = row.aboveHole === true ? "above" : "";
  const ofPlace = crc32OfHead(`${place};${above};${timestamp};${expiresAt};${writeId.length}`, 0);
  const ofWrite = crc32OfHead(writeId, ofPlace);
  const ofWriter = crc32OfHead(`${writerUuid.length}:${writerUuid}`, ofWrite);
  const sum = checksum(row, row.tags.length === 0 ? ofWriter : crc32(tagText(row.tags), ofWriter));
  return row.staged ? ~sum >>> 0 : sum;
}

/** DynamoDB returns sets in any order. */
function tagText(tags: readonly string[]): string {
  return JSON.stringify([...new Set(tags)].sort());
}

/** The CRC-32 of one payload, continuing from `before`. */
export function checksumOf({ serializerId, manifest, bytes }: EncodedPayload, before = 0): number {
  const head = crc32OfHead(`${serializerId}:${bytes.length}:${manifest.length}:${manifest}`, before);
  // Node returns 0 for no bytes, whatever came before them, where they have no memory at all.
  return bytes.length === 0 ? head : crc32(bytes, head);
}

/**
 * Returns the item as it is staged. Its checksum is inverted, so that an item cannot be taken for a staged one, which does not
 * count without a commit record, or the other way round.
 */
export function asStaged(item: Item, attribute: "crc" | "sum"): Item {
  const sum = inverted(item[attribute]?.B ?? new Uint8Array());
  return { ...item, [attribute]: { B: sum }, staged: { BOOL: true } };
}

/** The bytes of an inverted checksum. */
export function inverted(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => byte ^ 255);
}

/** A checksum as four bytes. */
export function checksumBytes(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}

/** The checksum of four bytes; undefined if there are not four. */
export function checksumFrom(bytes: Uint8Array): number | undefined {
  if (bytes.length !== 4) return undefined;
  const byte = (at: number) => bytes[at] as number;
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
}

/**
 * Throws `JOURNAL_CHECKSUM_MISMATCH` if an item has a checksum in `attribute` that is not the one of its row. `advice` continues the error
 * message, which begins with `what`.
 */
export function compareChecksum<Row extends RowKey>(
  row: Row,
  item: Item,
  attribute: "crc" | "sum",
  checksumOfRow: (row: Row) => number,
  { what, advice }: { readonly what: "event" | "snapshot"; readonly advice: string },
): void {
  const bytes = binary(item, attribute, row);
  if (bytes === undefined) return;
  const stored = checksumFrom(bytes);
  if (stored === undefined) throw rowCorrupt(row, attribute, "must be 4 bytes long");
  const computed = checksumOfRow(row);
  if (stored === computed) return;
  const { persistenceId, sequenceNr } = row;
  throw new JournalError(
    "JOURNAL_CHECKSUM_MISMATCH",
    `${what} ${sequenceNr} of ${JSON.stringify(persistenceId)} does not match its checksum (${advice})`,
    { persistenceId, sequenceNr, stored, computed },
  );
}
