import { ByteReader, MalformedBytes } from "../codecs/byte-reader.ts";
import { decodeUtf8 } from "../codecs/utf8.ts";

/** How a field lies on the wire. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

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

  /** Passes over a field that nobody knows. */
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
