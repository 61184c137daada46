import { MalformedBytes, UnsupportedBytes } from "./bytes.ts";
import type { EncodedPayload, PayloadContext, PayloadPart } from "./codec.ts";
import { ownSerializers } from "./serializer-ids.ts";

/** The version of the format. */
const version = 1;
export const nonceLength = 12;
export const tagLength = 16;
/** Version, nonce, serializer id, and the lengths of subject and clear part. */
const headLength = 1 + nonceLength + 4 + 2 + 4;
/** The offset, after the nonce, of the authenticated data. */
const afterNonce = 1 + nonceLength;

const partNumbers: Readonly<Record<PayloadPart, number>> = {
  event: 1,
  metadata: 2,
  snapshot: 3,
  "snapshot-metadata": 4,
};

/** The unencrypted part of an encrypted payload. */
export interface EnvelopeHead {
  readonly nonce: Uint8Array;
  /** The serializer of the encrypted payload. */
  readonly serializerId: number;
  readonly subject: string;
  /** Bytes that stay readable, such as the ids of an event. */
  readonly clear: Uint8Array;
}

/** An encrypted payload, divided. */
export interface Envelope extends EnvelopeHead {
  /** Everything before the encrypted bytes. */
  readonly head: Uint8Array;
  readonly encrypted: Uint8Array;
  readonly tag: Uint8Array;
}

/**
 * Encodes the head of an encrypted payload: version (one byte), nonce (12), serializer id, length of the subject and of the clear part
 * (32, 16 and 32 bits, little-endian), subject, clear part. The encrypted bytes and the tag (16) follow.
 */
export function encodeEnvelopeHead({ nonce, serializerId, subject, clear }: EnvelopeHead): Uint8Array {
  const name = Buffer.from(subject);
  const head = Buffer.alloc(headLength + name.length + clear.length);
  head.writeUInt8(version, 0);
  head.set(nonce, 1);
  head.writeInt32LE(serializerId, afterNonce);
  head.writeUInt16LE(name.length, afterNonce + 4);
  head.writeUInt32LE(clear.length, afterNonce + 6);
  head.set(name, headLength);
  head.set(clear, headLength + name.length);
  return head;
}

/** Divides an encrypted payload. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < 1) throw new MalformedBytes("is empty");
  if (buffer.readUInt8(0) !== version) throw new UnsupportedBytes("is encrypted by an unknown method");
  if (buffer.length < headLength) throw new MalformedBytes("ends in its header");
  const subjectEnd = headLength + buffer.readUInt16LE(afterNonce + 4);
  const clearEnd = subjectEnd + buffer.readUInt32LE(afterNonce + 6);
  const tagStart = buffer.length - tagLength;
  if (clearEnd > tagStart) throw new MalformedBytes("ends in its header");
  return {
    nonce: buffer.subarray(1, afterNonce),
    serializerId: buffer.readInt32LE(afterNonce),
    subject: buffer.toString("utf8", headLength, subjectEnd),
    clear: buffer.subarray(subjectEnd, clearEnd),
    head: buffer.subarray(0, clearEnd),
    encrypted: buffer.subarray(clearEnd, tagStart),
    tag: buffer.subarray(tagStart),
  };
}

/**
 * Returns the data that is authenticated with the encrypted bytes: version, the head behind the nonce, and where the payload is stored: part (one byte),
 * sequence number (64 bits), length of the manifest (32 bits), manifest, persistence id.
 */
export function authenticatedData(
  head: Uint8Array,
  manifest: string,
  { part, sequenceNr, persistenceId }: PayloadContext,
): Uint8Array {
  const type = Buffer.from(manifest);
  const place = Buffer.alloc(1 + 8 + 4);
  place.writeUInt8(partNumbers[part], 0);
  place.writeBigUInt64LE(BigInt(sequenceNr), 1);
  place.writeUInt32LE(type.length, 9);
  return Buffer.concat([
    head.subarray(0, 1),
    head.subarray(afterNonce),
    place,
    type,
    Buffer.from(persistenceId),
  ]);
}

/** Returns the serializer of a decoded payload: for an encrypted one, that of its content. */
export function serializerOf(encoded: EncodedPayload, decoded: unknown): number {
  const { serializerId, bytes } = encoded;
  // A payload that was not decrypted is returned as stored.
  if (serializerId !== ownSerializers.encrypted || decoded === encoded) return serializerId;
  return readEnvelope(bytes).serializerId;
}
