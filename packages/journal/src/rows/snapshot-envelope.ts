import { ByteReader, MalformedBytes, UnsupportedBytes } from "../codecs/byte-reader.ts";
import type { EncodedPayload } from "../codecs/encoded-payload.ts";
import { decodeJavaStream, type JavaValue } from "../codecs/java-stream.ts";
import { decodeUtf8 } from "../codecs/utf8.ts";

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
  // Akka itself compares without the mask, and so refuses one in a thousand serializer ids.
  if ((serializerId & 0xffff) !== javaStreamStart)
    return { serializerId, manifest: decodeUtf8(header.subarray(4)), bytes: payload };
  const identity = javaHeader(header);
  return identity === undefined
    ? { serializerId: snapshotSerializer, manifest: "", bytes }
    : { ...identity, bytes: payload };
}

/** The serializer of a snapshot of Akka 2.3; undefined if it cannot be told. */
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
