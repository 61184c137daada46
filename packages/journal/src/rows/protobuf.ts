import { ByteReader, decodeUtf8, MalformedBytes } from "../codecs/bytes.ts";

/** The wire format of a field. */
const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** The fields of one protobuf message, one after the other. */
export class ProtobufReader {
  readonly #reader: ByteReader;
  /** The number of the field that was opened last. */
  field = 0;
  #type = 0;

  constructor(bytes: Uint8Array) {
    this.#reader = new ByteReader(bytes);
  }

  /** Opens the next field; false at the end. */
  next(): boolean {
    if (this.#reader.remaining === 0) return false;
    const tag = Number(BigInt.asUintN(32, this.#varint()));
    this.field = tag >>> 3;
    this.#type = tag & 7;
    if (this.field === 0) throw new MalformedBytes("has a field without a number");
    return true;
  }

  int32(): number {
    return Number(BigInt.asIntN(32, this.#number()));
  }

  bool(): boolean {
    return this.#number() !== 0n;
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.#number());
  }

  /** Zigzag: the sign is the lowest bit. */
  sint64(): bigint {
    const value = BigInt.asUintN(64, this.#number());
    return (value >> 1n) ^ -(value & 1n);
  }

  /** The bytes of the field, shared with the source. */
  bytes(): Uint8Array {
    this.#expect(wireType.bytes);
    return this.#reader.take(this.#length());
  }

  string(): string {
    return decodeUtf8(this.bytes());
  }

  /** Skips an unknown field. */
  skip(): void {
    if (this.#type === wireType.varint) this.#varint();
    else if (this.#type === wireType.fixed64) this.#reader.skip(8);
    else if (this.#type === wireType.bytes) this.#reader.skip(this.#length());
    else if (this.#type === wireType.fixed32) this.#reader.skip(4);
    else throw new MalformedBytes(`has a field of the unknown wire type ${this.#type}`);
  }

  #number(): bigint {
    this.#expect(wireType.varint);
    return this.#varint();
  }

  #length(): number {
    return Number(BigInt.asUintN(64, this.#varint()));
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new MalformedBytes(`has field ${this.field} of wire type ${this.#type}`);
  }

  #varint(): bigint {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#reader.uint8();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#reader.uint8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedBytes("has a number of more than 10 bytes");
  }
}

/** Maximum bytes of the tag and the length of a field. */
const maxHeadBytes = 15;

/** Writes the fields of one protobuf message, in the order of the calls. */
export class ProtobufWriter {
  #bytes: Buffer;
  #at = 0;

  /** @param expected about how many bytes the message will have */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected + maxHeadBytes);
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
    const needed = this.#at + maxHeadBytes + length;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
