/** Collects numbers and strings as bytes. */
export class BytesWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  /** Adds an integer from 0 to 2^53 - 1: seven bits a byte, the lowest first. */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Adds a string, with its length. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.number(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** Returns everything that was added. */
  take(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#length));
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Reads what {@link BytesWriter} has written. Throws RangeError where bytes are missing. */
export class BytesReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("bytes are missing");
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.number();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError("bytes are missing");
    const text = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end;
    return text;
  }
}
