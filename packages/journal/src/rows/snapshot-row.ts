import type { Item } from "@tablekeep/core";
import { ByteReader, decodeUtf8, MalformedBytes, UnsupportedBytes } from "../codecs/bytes.ts";
import type { EncodedPayload } from "../codecs/codec.ts";
import { decodeJavaStream, type JavaValue } from "../codecs/java-stream.ts";
import { checksumBytes, checksumOf, compareChecksum, crc32OfHead } from "./checksum.ts";
import { decodeMetadata, encodeMetadata } from "./own-attributes.ts";
import { int32, type RowKey, rowCorrupt, text, wholeNumber } from "./row-attributes.ts";

/** The id of Akka's serializer that puts a snapshot into its envelope. */
const snapshotSerializer = 8;
/** The first two bytes of a Java stream, as the low half of a little-endian number. */
const javaStreamStart = 0xedac;

/**
 * A snapshot in Akka's envelope: the header's length, then the header (the serializer's id and its manifest), then the
 * bytes. Numbers have 32 bits and are little-endian.
 */
export function encodeSnapshotEnvelope({ serializerId, manifest, bytes }: EncodedPayload): Uint8Array {
  const header = Buffer.alloc(8);
  const name = Buffer.from(manifest);
  header.writeUInt32LE(4 + name.length, 0);
  header.writeInt32LE(serializerId, 4);
  return Buffer.concat([header, name, bytes]);
}

/**
 * Takes a snapshot out of its envelope. Akka 2.3 wrote the header as a Java object; one that cannot be read leaves the
 * envelope as an unknown payload.
 */
export function decodeSnapshotEnvelope(bytes: Uint8Array): EncodedPayload {
  const reader = new ByteReader(bytes);
  const length = swap32(reader.uint32()) >>> 0;
  const header = reader.take(length);
  const payload = reader.take(reader.remaining);
  if (length < 4) throw new MalformedBytes("has a header without a serializer id");
  const serializerId = swap32(new ByteReader(header).uint32());
  // Akka itself compares without the mask, and so rejects one in a thousand serializer ids.
  if ((serializerId & 0xffff) !== javaStreamStart)
    return { serializerId, manifest: decodeUtf8(header.subarray(4)), bytes: payload };
  const identity = javaHeader(header);
  return identity === undefined
    ? { serializerId: snapshotSerializer, manifest: "", bytes }
    : { ...identity, bytes: payload };
}

/** The serializer of a snapshot of Akka 2.3; undefined if unknown. */
function javaHeader(header: Uint8Array): Omit<EncodedPayload, "bytes"> | undefined {
  try {
    const value = decodeJavaStream(header);
    const serializerId = fieldOf(value, "serializerId");
    const manifest = fieldOf(fieldOf(value, "manifest"), "x");
    if (typeof serializerId !== "number") return undefined;
    return { serializerId, manifest: typeof manifest === "string" ? manifest : "" };
  } catch (error) {
    if (error instanceof UnsupportedBytes || error instanceof MalformedBytes) return undefined;
    throw error;
  }
}

function fieldOf(value: JavaValue | undefined, name: string): JavaValue | undefined {
  return typeof value === "object" && value !== null && "fields" in value
    ? value.fields.get(name)
    : undefined;
}

function swap32(value: number): number {
  return ((value & 0xff) << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24);
}

/** One snapshot as it is stored in a table, whatever the item format. */
export interface SnapshotRow {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  /** Milliseconds. */
  readonly timestamp: number;
  readonly payload: EncodedPayload;
  /** The metadata; the original writes none. */
  readonly metadata?: EncodedPayload;
  /** The id of the write that saved it; the original writes none. */
  readonly writeId?: string;
  /** Milliseconds since 1970 from which on it counts as absent. */
  readonly expiresAt?: number;
}

/** `pay_data` as the plugin 1.1.2 and later write it, `pay` as those before do. */
export type SnapshotFormat = "pay_data" | "pay";

/** The attributes of a snapshot's item, without those of its key. */
export function encodeSnapshotRow(row: SnapshotRow, format: SnapshotFormat): Item {
  const { timestamp, payload, metadata, writeId, expiresAt } = row;
  return {
    // DynamoDB removes the item by `ttl`, at some time after that.
    ...(expiresAt !== undefined && {
      expires: { N: String(expiresAt) },
      ttl: { N: String(Math.ceil(expiresAt / 1000)) },
    }),
    ts: { N: String(timestamp) },
    ...(format === "pay" ? { pay: { B: encodeSnapshotEnvelope(payload) } } : encodePayload(payload)),
    ...(metadata !== undefined && encodeMetadata(metadata)),
    ...(writeId !== undefined && {
      wid: { S: writeId },
      sum: { B: checksumBytes(rowChecksum(row)) },
    }),
  };
}

function encodePayload({ serializerId, manifest, bytes }: EncodedPayload): Item {
  return {
    pay_data: { B: bytes },
    ser_id: { N: String(serializerId) },
    ...(manifest !== "" && { ser_manifest: { S: manifest } }),
  };
}

/** The snapshot that an item holds, of either format; undefined for an item without one. `key` is what its key says. */
export function decodeSnapshotRow(item: Item, key: RowKey): SnapshotRow | undefined {
  const payload = decodePayload(item, key);
  if (payload === undefined) return undefined;
  const timestamp = wholeNumber(item, "ts", key);
  if (timestamp === undefined) throw rowCorrupt(key, "ts", "is missing");
  const writeId = item["wid"]?.S;
  // Without a write id it is a snapshot of the original, and attributes of our names are those of other programs.
  if (writeId === undefined) return { ...key, timestamp, payload };
  const metadata = decodeMetadata(item, key);
  const expiresAt = wholeNumber(item, "expires", key);
  const row = {
    ...key,
    timestamp,
    payload,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(metadata !== undefined && { metadata }),
    writeId,
  };
  verifyChecksum(row, item);
  return row;
}

function decodePayload(item: Item, key: RowKey): EncodedPayload | undefined {
  const bytes = item["pay_data"]?.B;
  if (bytes !== undefined) {
    const serializerId = int32(item, "ser_id", key);
    if (serializerId === undefined) throw rowCorrupt(key, "ser_id", "is missing");
    return { serializerId, manifest: text(item, "ser_manifest", key), bytes };
  }
  const envelope = item["pay"]?.B;
  if (envelope === undefined) return undefined;
  try {
    return decodeSnapshotEnvelope(envelope);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw rowCorrupt(key, "pay", `is not a snapshot: it ${error.message}`, error);
  }
}

/** The CRC-32 of the state and, if there are any, of the metadata. */
function checksum({ payload, metadata }: SnapshotRow, before = 0): number {
  const ofPayload = checksumOf(payload, before);
  return metadata === undefined ? ofPayload : checksumOf(metadata, ofPayload);
}

/** The CRC-32 of all that a row says, besides its id and sequence number, which its key says too. */
function rowChecksum(row: SnapshotRow): number {
  const { timestamp, expiresAt = "", writeId = "" } = row;
  return checksum(row, crc32OfHead(`${timestamp};${expiresAt};${writeId.length}:${writeId};`, 0));
}

/**
 * Compares a snapshot with the checksum that was stored with it. Those of the original have none and pass. Those that we wrote up to
 * version 0.2 have `crc`, which covers less than `sum`.
 */
function verifyChecksum(row: SnapshotRow, item: Item): void {
  const advice = "delete it: an older one, or a replay, replaces it";
  compareChecksum(row, item, "sum", rowChecksum, { what: "snapshot", advice });
  compareChecksum(row, item, "crc", checksum, { what: "snapshot", advice });
}
