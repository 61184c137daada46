import { deflateSync, gunzipSync, inflateSync, type ZlibOptions } from "node:zlib";
import { decodeUtf8, MalformedBytes, plainBytes, UnsupportedBytes } from "./bytes.ts";
import type { EncodedPayload } from "./codec.ts";
import { payloadTooLarge } from "./payload-errors.ts";
import { ownSerializers } from "./serializer-ids.ts";

/** The maximum size of a decompressed payload, and its serializer. */
export interface UnpackLimit {
  readonly serializerId: number;
  /** Bytes. */
  readonly maximum: number;
}

type Unpack = (bytes: Uint8Array, options: ZlibOptions) => Uint8Array;

/** Decompresses gzip, up to the maximum size. */
export function gunzip(bytes: Uint8Array, limit: UnpackLimit): Uint8Array {
  return unpack(gunzipSync, "gzip", bytes, limit);
}

/** Decompresses zlib's format, up to the maximum size. */
function inflate(bytes: Uint8Array, limit: UnpackLimit): Uint8Array {
  return unpack(inflateSync, "deflate", bytes, limit);
}

/** Decompresses with a function of Node, whose errors have a code but no type. */
function unpack(using: Unpack, name: string, bytes: Uint8Array, limit: UnpackLimit): Uint8Array {
  try {
    return plainBytes(using(bytes, { maxOutputLength: Math.max(1, limit.maximum) }));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE")
      throw payloadTooLarge(limit.serializerId, limit.maximum);
    throw new MalformedBytes(`is not a ${name} stream`, { cause: error });
  }
}

/** When and how payloads are compressed. */
export interface CompressionOptions {
  /** Smaller payloads, in bytes, are not compressed. @default 1024 */
  readonly minBytes?: number;
  /** 1 is fast, 9 is small. @default 6 */
  readonly level?: number;
}

/** The compression method: zlib's format is the only one so far. */
const deflated = 1;
const headerLength = 11;
const maxManifestLength = 0xffff;

/**
 * Returns the payload compressed, under our own serializer id, so that an Akka reader fails instead of reading garbage;
 * or the payload itself, if that is not larger. The format: one byte for the method (1), the decompressed length, the
 * serializer id and the manifest's length (32, 32 and 16 bits, little-endian), the manifest, the compressed bytes.
 */
export function compressPayload(payload: EncodedPayload, options: CompressionOptions = {}): EncodedPayload {
  const { serializerId, bytes } = payload;
  const { minBytes = 1024, level = 6 } = options;
  if (bytes.length < minBytes || serializerId === ownSerializers.compressed) return payload;
  const packed = packedPayload(payload, deflateSync(bytes, { level }));
  return packed === undefined || packed.bytes.length >= bytes.length ? payload : packed;
}

/** A payload whose bytes are already compressed, in zlib's format; undefined if its manifest is too long for that. */
export function packedPayload(payload: EncodedPayload, packed: Uint8Array): EncodedPayload | undefined {
  const manifest = Buffer.from(payload.manifest);
  if (manifest.length > maxManifestLength) return undefined;
  const header = Buffer.alloc(headerLength);
  header.writeUInt8(deflated, 0);
  header.writeUInt32LE(payload.bytes.length, 1);
  header.writeInt32LE(payload.serializerId, 5);
  header.writeUInt16LE(manifest.length, 9);
  const whole = Buffer.concat([header, manifest, packed]);
  return { serializerId: ownSerializers.compressed, manifest: "", bytes: whole };
}

/** The serializer and manifest of what was compressed. Only for bytes that {@link packedPayload} made. */
export function compressedIdentity(bytes: Uint8Array): Omit<EncodedPayload, "bytes"> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const manifest = buffer.toString("utf8", headerLength, headerLength + buffer.readUInt16LE(9));
  return { serializerId: buffer.readInt32LE(5), manifest };
}

/** Decompresses a payload of at most `maximum` bytes. */
export function decompressPayload(bytes: Uint8Array, maximum: number): EncodedPayload {
  if (bytes.length < headerLength) throw new MalformedBytes("ends in its header");
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, headerLength);
  if (header.readUInt8(0) !== deflated) throw new UnsupportedBytes("is compressed by an unknown method");
  const length = header.readUInt32LE(1);
  const serializerId = header.readInt32LE(5);
  const manifestEnd = headerLength + header.readUInt16LE(9);
  if (manifestEnd > bytes.length) throw new MalformedBytes("ends in its header");
  if (serializerId === ownSerializers.compressed) throw new MalformedBytes("is compressed twice");
  if (length > maximum) throw payloadTooLarge(ownSerializers.compressed, maximum);
  const limit = { serializerId: ownSerializers.compressed, maximum: length };
  const unpacked = inflate(bytes.subarray(manifestEnd), limit);
  if (unpacked.length !== length) throw new MalformedBytes("is shorter than declared");
  return { serializerId, manifest: decodeUtf8(bytes.subarray(headerLength, manifestEnd)), bytes: unpacked };
}
