/** UTF-8 takes at most this many bytes for a unit of a text's length. */
const mostBytes = 3;

/** Texts one after the other, as the bytes of UTF-8, without a long text of all of them in between. */
export class ByteWriter {
  #bytes: Buffer;
  #at = 0;

  /** @param room for how many bytes there is memory at first */
  constructor(room: number) {
    this.#bytes = Buffer.allocUnsafeSlow(room);
  }

  /** What was written. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  text(text: string): void {
    const needed = this.#at + text.length * mostBytes;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.#at += this.#bytes.write(text, this.#at);
  }

  /** A character of ASCII by its code: a call into native code would cost more. */
  ascii(code: number): void {
    if (this.#at === this.#bytes.length) this.#grow(this.#at + 1);
    this.#bytes[this.#at++] = code;
  }

  #grow(needed: number): void {
    const bytes = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(bytes, 0, 0, this.#at);
    this.#bytes = bytes;
  }
}
