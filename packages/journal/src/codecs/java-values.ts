import { MalformedBytes, UnsupportedBytes } from "./byte-reader.ts";
import type { Codec } from "./codec.ts";
import { decodeJavaStream, type JavaValue } from "./java-stream.ts";
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

/** Java serialization, as Akka up to 2.5 uses it for strings and boxed values: those are read, all else is left as bytes. */
export const javaValues: Codec = {
  id: akkaSerializers.java,
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

function unboxed(value: JavaValue): unknown {
  if (typeof value !== "object" || value === null) return value;
  const inside = value.fields.get("value");
  if (!boxes.has(value.className) || inside === undefined || value.fields.size !== 1)
    throw new UnsupportedBytes(`is an object of ${value.className}`);
  return inside;
}
