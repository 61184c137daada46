import { plainBytes } from "./plain-bytes.ts";

/** Bytes that are not what their format says. Whoever calls a decoder turns it into a typed error. */
export class MalformedBytes extends Error {}

/** Bytes of a format, or a part of one, that this decoder does not know. They are left as they are. */
export class UnsupportedBytes extends Error {}

/** Reads on through bytes, and never beyond them. */
export class ByteReader {
  readonly bytes: Uint8Array;
  position = 0;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = plainBytes(bytes);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get remaining(): number {
    return this.bytes.length - this.position;
  }

  /** Moves on by `length` bytes and tells where they begin. */
  skip(length: number): number {
    if (length > this.remaining) throw new MalformedBytes(`ends ${length - this.remaining} bytes too early`);
    const start = this.position;
    this.position += length;
    return start;
  }

  /** The next bytes, shared with the source. */
  take(length: number): Uint8Array {
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  uint8(): number {
    return this.#view.getUint8(this.skip(1));
  }

  int8(): number {
    return this.#view.getInt8(this.skip(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.skip(2));
  }

  int16(): number {
    return this.#view.getInt16(this.skip(2));
  }

  uint32(): number {
    return this.#view.getUint32(this.skip(4));
  }

  int32(): number {
    return this.#view.getInt32(this.skip(4));
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.skip(8));
  }

  int64(): bigint {
    return this.#view.getBigInt64(this.skip(8));
  }

  float32(): number {
    return this.#view.getFloat32(this.skip(4));
  }

  float64(): number {
    return this.#view.getFloat64(this.skip(8));
  }
}
