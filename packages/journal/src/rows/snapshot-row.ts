import type { Item } from "@tablekeep/core";
import { MalformedBytes } from "../codecs/byte-reader.ts";
import type { EncodedPayload } from "../codecs/encoded-payload.ts";
import { JournalError } from "../journal-error.ts";
import { checksumBytes, checksumFrom, checksumOf } from "./checksum.ts";
import { decodeMetadata, encodeMetadata } from "./own-attributes.ts";
import { binary, int32, text, wholeNumber } from "./row-attributes.ts";
import { type RowKey, rowCorrupt } from "./row-key.ts";
import { decodeSnapshotEnvelope, encodeSnapshotEnvelope } from "./snapshot-envelope.ts";

/** One snapshot as it lies in a table, whatever the item format. */
export interface SnapshotRow {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  /** Milliseconds. */
  readonly timestamp: number;
  readonly payload: EncodedPayload;
  /** What was saved beside the state; the original writes none. */
  readonly metadata?: EncodedPayload | undefined;
  /** The id of the write that saved it; the original writes none. */
  readonly writeId?: string | undefined;
}

/** `pay_data` as the plugin 1.1.2 and later write it, `pay` as those before do. */
export type SnapshotFormat = "pay_data" | "pay";

/** The attributes of a snapshot's item, without those of its key. */
export function encodeSnapshotRow(
  { timestamp, payload, metadata, writeId }: SnapshotRow,
  format: SnapshotFormat,
): Item {
  return {
    ts: { N: String(timestamp) },
    ...(format === "pay" ? { pay: { B: encodeSnapshotEnvelope(payload) } } : encodePayload(payload)),
    ...(metadata !== undefined && encodeMetadata(metadata)),
    ...(writeId !== undefined && {
      wid: { S: writeId },
      crc: { B: checksumBytes(checksum(payload, metadata)) },
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
  const metadata = decodeMetadata(item, key);
  verifyChecksum(item, checksum(payload, metadata), key);
  const writeId = item["wid"]?.S;
  return {
    ...key,
    timestamp,
    payload,
    ...(metadata !== undefined && { metadata }),
    ...(writeId !== undefined && { writeId }),
  };
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
    throw rowCorrupt(key, "pay", `is no snapshot: it ${error.message}`, error);
  }
}

/** The CRC-32 of the state and, if there are any, of the metadata. */
function checksum(payload: EncodedPayload, metadata: EncodedPayload | undefined): number {
  return metadata === undefined ? checksumOf(payload) : checksumOf(metadata, checksumOf(payload));
}

function verifyChecksum(item: Item, computed: number, key: RowKey): void {
  const bytes = binary(item, "crc", key);
  if (bytes === undefined) return;
  const stored = checksumFrom(bytes);
  if (stored === undefined) throw rowCorrupt(key, "crc", "has not four bytes");
  if (stored === computed) return;
  const { persistenceId, sequenceNr } = key;
  throw new JournalError(
    "JOURNAL_CHECKSUM_MISMATCH",
    `snapshot ${sequenceNr} of ${JSON.stringify(persistenceId)} is not what was stored (delete it, an older one or a replay will do)`,
    { persistenceId, sequenceNr, stored, computed },
  );
}
