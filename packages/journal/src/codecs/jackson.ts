import { decodeUtf8 } from "./bytes.ts";
import { decodeCbor } from "./cbor.ts";
import type { Codec } from "./codec.ts";
import { gunzip, type UnpackLimit } from "./compression.ts";
import { decodeLz4Block } from "./lz4-block.ts";
import { payloadRefused, payloadTooLarge } from "./payload-errors.ts";
import { type JsonDialect, readJsonWithBigIntegers, writeJson } from "./plain-json.ts";
import { akkaSerializers as ids } from "./serializer-ids.ts";

/** Settings of Akka's Jackson serializers. */
export interface JacksonOptions {
  readonly omitUndefined: boolean;
  /** The maximum bytes of an unpacked payload. */
  readonly maxPayloadBytes: number;
}

/**
 * Akka's Jackson serializers. JSON is written and read, CBOR read. The manifest names the class, and perhaps a version,
 * for Akka; here it is only kept. Akka packs large payloads with gzip or LZ4; payloads written here are not packed.
 */
export function jacksonCodecs({ omitUndefined, maxPayloadBytes }: JacksonOptions): readonly Codec[] {
  const dialect: JsonDialect = { serializerId: ids.jacksonJson, omitUndefined, bigIntegers: true };
  const unpacked = (serializerId: number, bytes: Uint8Array) =>
    unpackJackson(bytes, { serializerId, maximum: maxPayloadBytes });
  const json = (serializerId: number) => (bytes: Uint8Array) =>
    readJsonWithBigIntegers(decodeUtf8(unpacked(serializerId, bytes)));
  return [
    {
      id: ids.jacksonJson,
      encode(payload, manifest) {
        if (manifest === "")
          throw payloadRefused(
            ids.jacksonJson,
            "payload",
            "needs a manifest: the name of its class for Akka",
          );
        return Buffer.from(writeJson(payload, dialect));
      },
      decode: json(ids.jacksonJson),
    },
    { id: ids.jacksonLegacy, decode: json(ids.jacksonLegacy) },
    { id: ids.jacksonCbor, decode: (bytes) => decodeCbor(unpacked(ids.jacksonCbor, bytes)) },
  ];
}

const lz4Magic = 0x87d96df6;
const lz4Header = 8;

/** Akka recognizes compressed payloads by their first bytes, which neither JSON nor CBOR begins with. */
function unpackJackson(bytes: Uint8Array, limit: UnpackLimit): Uint8Array {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzip(bytes, limit);
  if (bytes.length < lz4Header) return bytes;
  const header = new DataView(bytes.buffer, bytes.byteOffset, lz4Header);
  if (header.getUint32(0) !== lz4Magic) return bytes;
  const length = header.getUint32(4);
  if (length > limit.maximum) throw payloadTooLarge(limit.serializerId, limit.maximum);
  return decodeLz4Block(bytes.subarray(lz4Header), length);
}
