import { ByteReader, decodeUtf8, MalformedBytes, UnsupportedBytes } from "./bytes.ts";
import { setMember } from "./plain-json.ts";

const maxDepth = 500;
/** Larger numbers are not plausible data, and are slow to convert to strings. */
const maxNumberBytes = 1024;
/** Marks the end of a list, map or string of unknown length. */
const stop = Symbol("break");

/**
 * One CBOR data item (RFC 8949) as plain data. Whole numbers beyond ±(2^53 − 1) become bigint, byte strings
 * `Uint8Array`, decimal fractions numbers. Tags that do not change what a value is are passed over.
 */
export function decodeCbor(bytes: Uint8Array): unknown {
  const decoder = new CborDecoder(bytes);
  const value = decoder.value(0);
  if (decoder.remaining > 0) throw new MalformedBytes(`has ${decoder.remaining} extra bytes at the end`);
  return value;
}

class CborDecoder {
  readonly #reader: ByteReader;

  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes);
  }

  get remaining(): number {
    return this.#reader.remaining;
  }

  value(depth: number): unknown {
    const value = this.#item(depth);
    if (value === stop) throw new MalformedBytes("has a break where a value should be");
    return value;
  }

  #item(depth: number): unknown {
    if (depth > maxDepth) throw new UnsupportedBytes(`is nested deeper than ${maxDepth} levels`);
    const initial = this.#reader.uint8();
    const major = initial >> 5;
    const info = initial & 31;
    if (major === 0) return this.#argument(info);
    if (major === 1) return negative(this.#argument(info));
    if (major === 2) return this.#string(info, 2, (parts) => joined(parts));
    if (major === 3) return this.#string(info, 3, (parts) => parts.map(decodeUtf8).join(""));
    if (major === 4) return this.#list(info, depth);
    if (major === 5) return this.#map(info, depth);
    if (major === 6) return this.#tagged(this.#argument(info), depth);
    return this.#simple(info);
  }

  #argument(info: number): number | bigint {
    if (info < 24) return info;
    if (info === 24) return this.#reader.uint8();
    if (info === 25) return this.#reader.uint16();
    if (info === 26) return this.#reader.uint32();
    if (info === 27) return tidy(this.#reader.uint64());
    throw new MalformedBytes(`has the reserved length ${info}`);
  }

  /** How many elements follow, if each takes `size` bytes at least; undefined if a break ends them. */
  #length(info: number, size: number): number | undefined {
    if (info === 31) return undefined;
    const length = Number(this.#argument(info));
    if (length * size > this.#reader.remaining) throw new MalformedBytes("ends in the middle of a value");
    return length;
  }

  #string<Value>(info: number, major: number, join: (parts: Uint8Array[]) => Value): Value {
    const length = this.#length(info, 1);
    if (length !== undefined) return join([this.#reader.take(length)]);
    const parts: Uint8Array[] = [];
    for (;;) {
      const initial = this.#reader.uint8();
      if (initial === 0xff) return join(parts);
      if (initial >> 5 !== major) throw new MalformedBytes("has a chunk of the wrong type in a string");
      const size = this.#length(initial & 31, 1);
      if (size === undefined) throw new MalformedBytes("has a chunk of indefinite length in a string");
      parts.push(this.#reader.take(size));
    }
  }

  #list(info: number, depth: number): unknown[] {
    const length = this.#length(info, 1);
    const list: unknown[] = [];
    while (list.length !== length) {
      const element = this.#item(depth + 1);
      if (element === stop && length === undefined) return list;
      list.push(notStop(element));
    }
    return list;
  }

  #map(info: number, depth: number): Record<string, unknown> {
    const length = this.#length(info, 2);
    const map: Record<string, unknown> = {};
    for (let count = 0; count !== length; count++) {
      const key = this.#item(depth + 1);
      if (key === stop && length === undefined) return map;
      setMember(map, keyText(notStop(key)), this.value(depth + 1));
    }
    return map;
  }

  #tagged(tag: number | bigint, depth: number): unknown {
    // References to other values: this is not the value itself.
    if (tag === 25 || tag === 28 || tag === 29 || tag === 256)
      throw new UnsupportedBytes(`has the tag ${tag}`);
    const content = this.value(depth + 1);
    if (tag === 2 || tag === 3) return bigNumber(content, tag === 3);
    return tag === 4 ? decimalFraction(content) : content;
  }

  #simple(info: number): unknown {
    if (info === 20 || info === 21) return info === 21;
    if (info === 22) return null;
    if (info === 23) return undefined;
    if (info === 25) return halfFloat(this.#reader.uint16());
    if (info === 26) return this.#reader.float32();
    if (info === 27) return this.#reader.float64();
    if (info === 31) return stop;
    throw new UnsupportedBytes(`has the simple value ${info}`);
  }
}

function notStop(value: unknown): unknown {
  if (value === stop) throw new MalformedBytes("has a break where a value should be");
  return value;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : new Uint8Array(Buffer.concat(parts));
}

function keyText(key: unknown): string {
  if (typeof key === "string") return key;
  if (typeof key === "number" || typeof key === "bigint" || typeof key === "boolean") return String(key);
  throw new UnsupportedBytes("has a map with keys that are not strings");
}

function tidy(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function negative(argument: number | bigint): number | bigint {
  return tidy(-1n - BigInt(argument));
}

function bigNumber(content: unknown, isNegative: boolean): number | bigint {
  if (!(content instanceof Uint8Array)) throw new MalformedBytes("has a bignum that is not a byte string");
  if (content.length > maxNumberBytes) throw new UnsupportedBytes("has a number with too many digits");
  const value = BigInt(`0x0${Buffer.from(content).toString("hex")}`);
  return tidy(isNegative ? -1n - value : value);
}

/** A decimal as two whole numbers, exponent and mantissa. Like any JSON reader's, the value is the nearest double. */
function decimalFraction(content: unknown): number {
  const [exponent, mantissa] = Array.isArray(content) ? (content as unknown[]) : [];
  if (typeof exponent !== "number" || (typeof mantissa !== "number" && typeof mantissa !== "bigint"))
    throw new MalformedBytes("has a decimal fraction that is not two integers");
  return Number(`${mantissa}e${exponent}`);
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
