import { MalformedBytes, UnsupportedBytes } from "./byte-reader.ts";
import type { Codec } from "./codec.ts";
import { decodeJavaStream, type JavaValue } from "./java-stream.ts";
import { encodeJavaStream } from "./java-writer.ts";
import { payloadRefused } from "./payload-errors.ts";
import { akkaSerializers } from "./serializer-ids.ts";

/** Java's boxes around single values: Long gives a bigint, Character a text of one character. */
const boxes: ReadonlySet<string> = new Set([
  "java.lang.Boolean",
  "java.lang.Byte",
  "java.lang.Character",
  "java.lang.Double",
  "java.lang.Float",
  "java.lang.Integer",
  "java.lang.Long",
  "java.lang.Short",
]);

/**
 * Java serialization, as Akka up to 2.5 uses it for strings and boxed values: those and byte arrays are read and written, all
 * else is left as bytes.
 */
export const javaValues: Codec = {
  id: akkaSerializers.java,
  encode(payload) {
    if (!isJavaValue(payload) && !(payload instanceof Uint8Array))
      throw payloadRefused(
        akkaSerializers.java,
        "payload",
        "is not a string, bytes, a finite number, a bigint or a boolean, which serializer 1 takes",
      );
    if (typeof payload === "bigint" && BigInt.asIntN(64, payload) !== payload)
      throw payloadRefused(akkaSerializers.java, "payload", "has more than 64 bits");
    return encodeJavaStream(payload);
  },
  decode(bytes) {
    try {
      return unboxed(decodeJavaStream(bytes));
    } catch (error) {
      // Without Java nobody can tell a broken stream from one of another shape.
      if (error instanceof MalformedBytes) throw new UnsupportedBytes(error.message, { cause: error });
      throw error;
    }
  },
};

/** Whether a payload is a string, or a value that Java boxes. */
export function isJavaValue(payload: unknown): payload is string | number | bigint | boolean {
  if (typeof payload === "number") return Number.isFinite(payload);
  return typeof payload === "string" || typeof payload === "bigint" || typeof payload === "boolean";
}

function unboxed(value: JavaValue): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const inside = value.fields.get("value");
  if (!boxes.has(value.className) || inside === undefined || value.fields.size !== 1)
    throw new UnsupportedBytes(`is an object of ${value.className}`);
  return inside;
}
