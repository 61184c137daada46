import { wireType } from "./protobuf-reader.ts";

/** The most bytes that the tag and the number of a field take. */
const longestHead = 15;

/** Writes the fields of one protobuf message, in the order of the calls. */
export class ProtobufWriter {
  #bytes: Buffer;
  #at = 0;

  /** @param expected about how many bytes the message will have */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected + longestHead);
  }

  int32(field: number, value: number): this {
    return this.#number(field, BigInt(value));
  }

  bool(field: number, value: boolean): this {
    return this.#number(field, value ? 1n : 0n);
  }

  int64(field: number, value: number): this {
    return this.#number(field, BigInt(value));
  }

  /** Zigzag: the sign is the lowest bit. */
  sint64(field: number, value: number): this {
    const number = BigInt(value);
    return this.#number(field, (number << 1n) ^ (number >> 63n));
  }

  bytes(field: number, value: Uint8Array): this {
    this.#head(field, value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  string(field: number, value: string): this {
    this.#head(field, Buffer.byteLength(value));
    this.#at += this.#bytes.write(value, this.#at);
    return this;
  }

  finish(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.#at);
  }

  #head(field: number, length: number): void {
    this.#reserve(length);
    this.#small((field << 3) | wireType.bytes);
    this.#small(length);
  }

  #number(field: number, value: bigint): this {
    this.#reserve(0);
    this.#small((field << 3) | wireType.varint);
    if (value >= 0n && value < 0x8000_0000n) this.#small(Number(value));
    else this.#large(value);
    return this;
  }

  #small(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  /** Negative numbers take ten bytes: protobuf extends their sign to 64 bits, of an int32 too. */
  #large(value: bigint): void {
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#at++] = Number(rest);
  }

  #reserve(length: number): void {
    const needed = this.#at + longestHead + length;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
