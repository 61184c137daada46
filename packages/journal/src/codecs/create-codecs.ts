import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { JournalError } from "../errors/journal-error.ts";
import { akkaScalars, isInt32 } from "./akka-scalars.ts";
import { isWellFormed, MalformedBytes, UnsupportedBytes } from "./bytes.ts";
import { CodecRegistry, type Codecs, type EncodedPayload, type SyncCodec, type SyncCodecs } from "./codec.ts";
import { type CodecsOptions, checkCodecsOptions, type SerializerChoice } from "./codecs-options.ts";
import { compressPayload, decompressPayload } from "./compression.ts";
import { jacksonCodecs } from "./jackson.ts";
import { isJavaValue, javaValues } from "./java-values.ts";
import { continueWith, type MaybePromise } from "./maybe-promise.ts";
import { payloadCorrupt, payloadRefused } from "./payload-errors.ts";
import { plainJson } from "./plain-json.ts";
import { akkaSerializers, ownSerializers } from "./serializer-ids.ts";

/** Decodes a payload; returns it unchanged if its serializer or its format is unknown. */
function decodePayload(registry: CodecRegistry, encoded: EncodedPayload): unknown {
  const { serializerId, manifest, bytes } = encoded;
  const codec = registry.find(serializerId, manifest);
  return codec === undefined ? encoded : reading(encoded, () => codec.decode(bytes, manifest));
}

/** Decompresses a payload; returns it unchanged if it was compressed by a method of a later version. */
function unpackPayload(encoded: EncodedPayload, maxPayloadBytes: number): EncodedPayload {
  if (encoded.serializerId !== ownSerializers.compressed) return encoded;
  return reading(encoded, () => decompressPayload(encoded.bytes, maxPayloadBytes));
}

function reading<Value>(encoded: EncodedPayload, read: () => Value): Value | EncodedPayload {
  try {
    const value = read();
    if (!(value instanceof Promise)) return value;
    return value.catch((error: unknown) => notRead(encoded, error)) as Value;
  } catch (error) {
    return notRead(encoded, error);
  }
}

function notRead(encoded: EncodedPayload, error: unknown): EncodedPayload {
  if (error instanceof UnsupportedBytes) return encoded;
  if (isTablekeepError(error)) throw error;
  const reason = error instanceof MalformedBytes ? error.message : "could not be read by its codec";
  throw payloadCorrupt(encoded, reason, error);
}

/** Selects the codec for a payload: by `as`, else by `choose`, else by the payload's type. */
function serializerFor(
  payload: unknown,
  as: { readonly serializerId?: number; readonly manifest?: string },
  { choose, akka }: Pick<CodecsOptions, "choose" | "akka">,
): { serializerId: number; manifest: string } {
  const { serializerId, manifest = "" } = as;
  if (serializerId !== undefined) return { serializerId, manifest };
  const chosen = choiceOf(payload, choose);
  if (chosen !== undefined)
    return { serializerId: chosen.serializerId, manifest: as.manifest ?? chosen.manifest ?? "" };
  // Akka interprets a manifest beside its single values as the name of a class.
  if (manifest !== "") return { serializerId: ownSerializers.json, manifest };
  const byJava = akka === "2.5" && isJavaValue(payload);
  return { serializerId: byJava ? akkaSerializers.java : serializerByType(payload), manifest };
}

function choiceOf(payload: unknown, choose: CodecsOptions["choose"]): SerializerChoice | undefined {
  try {
    return choose?.(payload);
  } catch (error) {
    if (isTablekeepError(error)) throw error;
    throw payloadRefused(serializerByType(payload), "payload", "was refused by `choose`", error);
  }
}

function serializerByType(payload: unknown): number {
  if (typeof payload === "string" && isWellFormed(payload)) return akkaSerializers.string;
  if (typeof payload === "bigint") return akkaSerializers.long;
  if (typeof payload === "boolean") return akkaSerializers.boolean;
  if (isInt32(payload)) return akkaSerializers.int;
  return payload instanceof Uint8Array ? akkaSerializers.bytes : ownSerializers.json;
}

/** The bytes of a payload, by the codec of this id and manifest. */
function encodePayload(
  registry: CodecRegistry,
  payload: unknown,
  serializerId: number,
  manifest: string,
): MaybePromise<EncodedPayload> {
  const codec = registry.find(serializerId, manifest);
  if (codec?.encode === undefined) {
    const what = codec === undefined ? "is unknown" : "can only be read";
    throw new JournalError(
      "JOURNAL_SERIALIZER_UNKNOWN",
      `serializer ${serializerId} ${what} (register a codec for it, or choose another)`,
      { serializerId, manifest },
    );
  }
  if (manifest !== "" && akkaScalars.includes(codec))
    throw payloadRefused(serializerId, "payload", `cannot have a manifest with serializer ${serializerId}`);
  let bytes: unknown;
  try {
    bytes = codec.encode(payload, manifest);
  } catch (error) {
    throw notWritten(serializerId, error);
  }
  if (bytes instanceof Promise)
    return bytes.then(
      (value: unknown) => ({ serializerId, manifest, bytes: checkedBytes(serializerId, value) }),
      (error: unknown) => Promise.reject(notWritten(serializerId, error)),
    );
  return { serializerId, manifest, bytes: checkedBytes(serializerId, bytes) };
}

function notWritten(serializerId: number, error: unknown): TablekeepError {
  if (isTablekeepError(error)) return error;
  return payloadRefused(serializerId, "payload", "could not be written by its codec", error);
}

function checkedBytes(serializerId: number, bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes;
  throw payloadRefused(serializerId, "payload", "was not turned into bytes by its codec");
}

/** Returns whether a payload is one that no codec could decode when it was read. */
function isEncodedPayload(payload: unknown): payload is EncodedPayload {
  if (typeof payload !== "object" || payload === null) return false;
  const { serializerId, manifest, bytes } = payload as Partial<EncodedPayload>;
  if (!isInt32(serializerId) || typeof manifest !== "string" || !(bytes instanceof Uint8Array)) return false;
  // Checked last: a large byte array has as many keys as bytes.
  return Object.keys(payload).length === 3;
}

/**
 * The codecs of a journal. Without an explicit serializer, strings, bytes, bigints, 32-bit integers and booleans
 * are written as Akka's own serializers do, everything else as JSON under our own id. Payloads that no codec handles
 * are read as `{ serializerId, manifest, bytes }`, and written back unchanged.
 *
 * @example
 * const codecs = createCodecs({ codecs: [{ id: 1_000, decode: (bytes) => decodeOrder(bytes) }] });
 * const journal = await openJournal(port, { codecs });
 */
export function createCodecs(options?: CodecsOptions<SyncCodec>): SyncCodecs;
export function createCodecs(options: CodecsOptions): Codecs;
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
      if (compression === undefined) return encoded;
      return continueWith(encoded, (written) => compressPayload(written, compression));
    },
    decode: (encoded) => decodePayload(registry, unpack(encoded)),
    unpack,
  };
}
