import { crc32 } from "node:zlib";
import type { EncodedPayload } from "../codecs/codec.ts";
import type { EventRow } from "./event-row.ts";

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
export function checksum({ payload, manifest, metadata }: EventRow): number {
  const ofManifest = manifest === "" ? 0 : crc32OfHead(`m${manifest.length}:${manifest}`, 0);
  const ofPayload = checksumOf(payload, ofManifest);
  return metadata === undefined ? ofPayload : checksumOf(metadata, ofPayload);
}

/** The CRC-32 of one payload, continuing from `before`. */
export function checksumOf({ serializerId, manifest, bytes }: EncodedPayload, before = 0): number {
  const head = crc32OfHead(`${serializerId}:${bytes.length}:${manifest.length}:${manifest}`, before);
  // Node returns 0 for no bytes, whatever came before them, where they have no memory at all.
  return bytes.length === 0 ? head : crc32(bytes, head);
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
