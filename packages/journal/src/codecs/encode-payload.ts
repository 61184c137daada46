import { isTablekeepError } from "@tablekeep/core";
import { JournalError } from "../journal-error.ts";
import { akkaScalars, isInt32 } from "./akka-scalars.ts";
import type { CodecRegistry } from "./codec-registry.ts";
import type { CodecsOptions, SerializerChoice } from "./codecs-options.ts";
import type { EncodedPayload } from "./encoded-payload.ts";
import { isJavaValue } from "./java-values.ts";
import { payloadRefused } from "./payload-errors.ts";
import { akkaSerializers, ownSerializers } from "./serializer-ids.ts";
import { isWellFormed } from "./utf8.ts";

/** Who writes a payload: what `as` says, else what `choose` says, else by the payload's type. */
export function serializerFor(
  payload: unknown,
  as: { readonly serializerId?: number | undefined; readonly manifest?: string | undefined },
  { choose, akka }: Pick<CodecsOptions, "choose" | "akka">,
): { serializerId: number; manifest: string } {
  const { serializerId, manifest = "" } = as;
  if (serializerId !== undefined) return { serializerId, manifest };
  const chosen = choiceOf(payload, choose);
  if (chosen !== undefined)
    return { serializerId: chosen.serializerId, manifest: as.manifest ?? chosen.manifest ?? "" };
  // Akka takes a manifest beside its single values for the name of a class.
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
export function encodePayload(
  registry: CodecRegistry,
  payload: unknown,
  serializerId: number,
  manifest: string,
): EncodedPayload {
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
  const bytes = bytesOf(serializerId, () => codec.encode?.(payload, manifest));
  return { serializerId, manifest, bytes };
}

function bytesOf(serializerId: number, encode: () => unknown): Uint8Array {
  let bytes: unknown;
  try {
    bytes = encode();
  } catch (error) {
    if (isTablekeepError(error)) throw error;
    throw payloadRefused(serializerId, "payload", "could not be written by its codec", error);
  }
  if (bytes instanceof Uint8Array) return bytes;
  throw payloadRefused(serializerId, "payload", "was not turned into bytes by its codec");
}

/** Whether a payload is one that no codec knew when it was read. */
export function isEncodedPayload(payload: unknown): payload is EncodedPayload {
  if (typeof payload !== "object" || payload === null) return false;
  const { serializerId, manifest, bytes } = payload as Partial<EncodedPayload>;
  if (!isInt32(serializerId) || typeof manifest !== "string" || !(bytes instanceof Uint8Array)) return false;
  // Last: the keys of a large array of bytes are as many texts.
  return Object.keys(payload).length === 3;
}
