import { encodeModifiedUtf8, MalformedBytes, UnsupportedBytes } from "./bytes.ts";
import type { Codec } from "./codec.ts";
import { decodeJavaStream, type JavaValue } from "./java-stream.ts";
import { payloadRefused } from "./payload-errors.ts";
import { akkaSerializers } from "./serializer-ids.ts";

/** Values that can be written to a Java stream: a string, a byte array, or a value that Java boxes. */
export type JavaWritable = string | Uint8Array | number | bigint | boolean;

const magic = Buffer.from("aced0005", "hex");
/** The class of byte arrays: `[B`, its version, no fields. */
const byteArray = Buffer.from("757200025b42acf317f8060854e00200007870", "hex");
/** `java.lang.Number`, the class above the boxes of numbers, as a class description without one above. */
const aboveNumbers = classDescription("java.lang.Number", "86ac951d0b94e08b", "", Buffer.from([0x70]));
const aboveNothing = Buffer.from([0x70]);

/** A stream of Java's serialization that holds one value. 32-bit whole numbers are Integer, other numbers Double, bigints Long. */
function encodeJavaStream(value: JavaWritable): Uint8Array {
  if (typeof value === "string") return Buffer.concat([magic, text(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([magic, byteArray, uint32(value.length), value]);
  if (typeof value === "boolean")
    return boxed("java.lang.Boolean", "cd207280d59cfaee", "Z", aboveNothing, Buffer.from([value ? 1 : 0]));
  const bytes = Buffer.alloc(8);
  if (typeof value === "bigint") {
    bytes.writeBigInt64BE(value);
    return boxed("java.lang.Long", "3b8be490cc8f23df", "J", aboveNumbers, bytes);
  }
  if (Object.is(value | 0, value)) {
    bytes.writeInt32BE(value);
    return boxed("java.lang.Integer", "12e2a0a4f7818738", "I", aboveNumbers, bytes.subarray(0, 4));
  }
  bytes.writeDoubleBE(value);
  return boxed("java.lang.Double", "80b3c24a296bfb04", "D", aboveNumbers, bytes);
}

/** An object with one field named `value`. */
function boxed(name: string, version: string, type: string, above: Buffer, field: Buffer): Uint8Array {
  return Buffer.concat([magic, Buffer.from([0x73]), classDescription(name, version, type, above), field]);
}

/** A class: its name, its version, that it is plain, its one field if it has one, and the class above it. */
function classDescription(name: string, version: string, type: string, above: Buffer): Buffer {
  const fields = type === "" ? uint16(0) : Buffer.concat([uint16(1), Buffer.from(type), shortText("value")]);
  return Buffer.concat([
    Buffer.from([0x72]),
    shortText(name),
    Buffer.from(version, "hex"),
    Buffer.from([2]),
    fields,
    Buffer.from([0x78]),
    above,
  ]);
}

/** A string of the stream, short or long. */
function text(value: string): Buffer {
  const bytes = encodeModifiedUtf8(value);
  if (bytes.length <= 0xffff) return Buffer.concat([Buffer.from([0x74]), uint16(bytes.length), bytes]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(bytes.length));
  return Buffer.concat([Buffer.from([0x7c]), length, bytes]);
}

function shortText(value: string): Buffer {
  return Buffer.concat([uint16(value.length), Buffer.from(value)]);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Java's boxes around single values: Long returns a bigint, Character a string of one character. */
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
        "is not a string, bytes, a finite number, a bigint or a boolean, which serializer 1 requires",
      );
    if (typeof payload === "bigint" && BigInt.asIntN(64, payload) !== payload)
      throw payloadRefused(akkaSerializers.java, "payload", "has more than 64 bits");
    return encodeJavaStream(payload);
  },
  decode(bytes) {
    try {
      return unboxed(decodeJavaStream(bytes));
    } catch (error) {
      // Without Java a broken stream cannot be distinguished from one of another shape.
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
