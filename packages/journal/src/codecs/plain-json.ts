import type { Codec } from "./codec.ts";
import type { JsonDialect } from "./json-dialect.ts";
import { readJson } from "./read-json.ts";
import { ownSerializers } from "./serializer-ids.ts";
import { decodeUtf8 } from "./utf8.ts";
import { writeJson } from "./write-json.ts";

/** Plain data as JSON text, with any manifest: what payloads without a serializer of their own are written by. */
export function plainJson(omitUndefined: boolean): Codec {
  const dialect: JsonDialect = { serializerId: ownSerializers.json, omitUndefined, bigIntegers: false };
  return {
    id: ownSerializers.json,
    encode: (payload) => Buffer.from(writeJson(payload, dialect)),
    decode: (bytes) => readJson(decodeUtf8(bytes)),
  };
}
