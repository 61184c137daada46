import { type ByteReader, decodeUtf8, MalformedBytes } from "../codecs/bytes.ts";

/** Bytes that grow. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(256);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** A whole number from 0 up, seven bits a byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#length++] = rest;
  }

  /** A whole number of 32 bits: those near 0 are short, whatever their sign. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Bytes, after their length. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** Text as UTF-8, after its length in bytes. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.varint(length);
    this.#reserve(length);
    this.#buffer.write(value, this.#length);
    this.#length += length;
  }

  /** What was written. Ends the writer. */
  take(): Uint8Array {
    return new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + count));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}

/** Reads what {@link ByteWriter.varint} writes. */
export function readVarint(reader: ByteReader): number {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = reader.uint8();
    value += (byte & 127) * factor;
    if (value > Number.MAX_SAFE_INTEGER) throw new MalformedBytes("have a number that is too large");
    if (byte < 128) return value;
    if (factor > 2 ** 49) throw new MalformedBytes("have a number that is too long");
  }
}

/** Reads what {@link ByteWriter.signed} writes. */
export function readSigned(reader: ByteReader): number {
  const value = readVarint(reader);
  const signed = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  if (signed !== (signed | 0)) throw new MalformedBytes("have a number of more than 32 bits");
  return signed;
}

/** Reads what {@link ByteWriter.text} writes. */
export function readText(reader: ByteReader): string {
  return decodeUtf8(reader.take(readVarint(reader)));
}
