import { isTablekeepError } from "@tablekeep/core";
import { MalformedBytes, UnsupportedBytes } from "./byte-reader.ts";
import type { CodecRegistry } from "./codec-registry.ts";
import { decompressPayload } from "./compression.ts";
import type { EncodedPayload } from "./encoded-payload.ts";
import { payloadCorrupt } from "./payload-errors.ts";
import { ownSerializers } from "./serializer-ids.ts";

/** The payload of the bytes; what was given, if its serializer or what it wrote is not known. */
export function decodePayload(registry: CodecRegistry, encoded: EncodedPayload): unknown {
  const { serializerId, manifest, bytes } = encoded;
  const codec = registry.find(serializerId, manifest);
  return codec === undefined ? encoded : reading(encoded, () => codec.decode(bytes, manifest));
}

/** The payload without compression; what was given, if it is packed in a way of a later version. */
export function unpackPayload(encoded: EncodedPayload, maxPayloadBytes: number): EncodedPayload {
  if (encoded.serializerId !== ownSerializers.compressed) return encoded;
  return reading(encoded, () => decompressPayload(encoded.bytes, maxPayloadBytes));
}

function reading<Value>(encoded: EncodedPayload, read: () => Value): Value | EncodedPayload {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnsupportedBytes) return encoded;
    if (isTablekeepError(error)) throw error;
    const reason = error instanceof MalformedBytes ? error.message : "could not be read by its codec";
    throw payloadCorrupt(encoded, reason, error);
  }
}
