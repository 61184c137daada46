import { akkaScalars } from "./akka-scalars.ts";
import { CodecRegistry } from "./codec-registry.ts";
import type { Codecs } from "./codecs.ts";
import { type CodecsOptions, checkCodecsOptions } from "./codecs-options.ts";
import { compressPayload } from "./compression.ts";
import { decodePayload, unpackPayload } from "./decode-payload.ts";
import { encodePayload, isEncodedPayload, serializerFor } from "./encode-payload.ts";
import type { EncodedPayload } from "./encoded-payload.ts";
import { jacksonCodecs } from "./jackson.ts";
import { javaValues } from "./java-values.ts";
import { plainJson } from "./plain-json.ts";

/**
 * The codecs of a journal. Without a word about the serializer, text, bytes, bigints, 32-bit whole numbers and booleans
 * are written as Akka's own serializers do, everything else as JSON under an id of ours. Payloads that no codec knows
 * are read as `{ serializerId, manifest, bytes }`, and written back as they are.
 */
export function createCodecs(options: CodecsOptions = {}): Codecs {
  checkCodecsOptions(options);
  const { compression, maxPayloadBytes = 67_108_864 } = options;
  const omitUndefined = options.undefinedProperties === "omit";
  const registry = new CodecRegistry();
  registry.add(akkaScalars);
  registry.add([javaValues, plainJson(omitUndefined)]);
  registry.add(jacksonCodecs({ omitUndefined, maxPayloadBytes }));
  registry.add(options.codecs ?? []);
  const unpack = (encoded: EncodedPayload) => unpackPayload(encoded, maxPayloadBytes);
  return {
    encode(payload, as = {}) {
      if (as.serializerId === undefined && isEncodedPayload(payload)) return payload;
      const { serializerId, manifest } = serializerFor(payload, as, options);
      const encoded = encodePayload(registry, payload, serializerId, manifest);
      return compression === undefined ? encoded : compressPayload(encoded, compression);
    },
    decode: (encoded) => decodePayload(registry, unpack(encoded)),
    unpack,
  };
}
