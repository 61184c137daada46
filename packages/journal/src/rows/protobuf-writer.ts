import { wireType } from "./protobuf-reader.ts";

/** Writes the fields of one protobuf message, in the order of the calls. */
export class ProtobufWriter {
  readonly #parts: Uint8Array[] = [];

  int32(field: number, value: number): this {
    return this.#number(field, BigInt(value));
  }

  bool(field: number, value: boolean): this {
    return this.#number(field, value ? 1n : 0n);
  }

  int64(field: number, value: number): this {
    return this.#number(field, BigInt(value));
  }

  sint64(field: number, value: number): this {
    const number = BigInt(value);
    return this.#number(field, (number << 1n) ^ (number >> 63n));
  }

  bytes(field: number, value: Uint8Array): this {
    this.#parts.push(varint(BigInt((field << 3) | wireType.bytes)), varint(BigInt(value.length)), value);
    return this;
  }

  string(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#parts);
  }

  #number(field: number, value: bigint): this {
    this.#parts.push(varint(BigInt((field << 3) | wireType.varint)), varint(value));
    return this;
  }
}

/** Negative numbers take ten bytes: protobuf extends their sign to 64 bits, of an int32 too. */
function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}
