import { decodeUtf8, MalformedBytes, plainBytes } from "../codecs/bytes.ts";

/** A buffer that grows as it is written. */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  /** @param expected the size to allocate at first, in bytes */
  constructor(expected = 256) {
    // Separate memory: Node's pool would soon be used up, and to set up another one takes longer.
    this.#buffer = Buffer.allocUnsafeSlow(expected);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** Writes an integer of at least 0, seven bits per byte, the lowest first. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#length++] = rest;
  }

  /** Writes a 32-bit integer. Values near 0 are short, whatever their sign. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Writes bytes, after their length. */
  bytes(value: Uint8Array): void {
    this.varint(value.length);
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** Writes a string as UTF-8, after its length in bytes. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.varint(length);
    this.#reserve(length);
    this.#buffer.write(value, this.#length);
    this.#length += length;
  }

  /** Returns the written bytes. The writer must not be used after that. */
  take(): Uint8Array {
    return new Uint8Array(this.#buffer.buffer, this.#buffer.byteOffset, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#length + count));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}

/** Reads what {@link ByteWriter} writes. Throws {@link MalformedBytes} beyond the end. */
export class PackedReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = plainBytes(bytes);
  }

  get remaining(): number {
    return this.#bytes.length - this.#position;
  }

  byte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw new MalformedBytes("ends one byte too early");
    this.#position++;
    return byte;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new MalformedBytes("have a number that is too large");
      if (byte < 128) return value;
      if (factor > 2 ** 49) throw new MalformedBytes("have a number that is too long");
    }
  }

  signed(): number {
    const value = this.varint();
    const signed = value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    if (signed !== (signed | 0)) throw new MalformedBytes("have a number of more than 32 bits");
    return signed;
  }

  /** The next bytes, after their length; shared with the source. */
  bytes(): Uint8Array {
    const length = this.varint();
    if (length > this.remaining) throw new MalformedBytes(`ends ${length - this.remaining} bytes too early`);
    const start = this.#position;
    this.#position += length;
    return this.#bytes.subarray(start, this.#position);
  }

  text(): string {
    return decodeUtf8(this.bytes());
  }
}
