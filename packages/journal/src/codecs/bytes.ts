/** Returns the same bytes as a plain `Uint8Array`: a port may return a Node `Buffer`, whose methods differ. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.constructor === Uint8Array) return bytes;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Thrown for malformed bytes. The caller of a decoder converts it to a typed error. */
export class MalformedBytes extends Error {}

/** Thrown for a format, or a part of one, that this decoder does not support. The bytes are returned unchanged. */
export class UnsupportedBytes extends Error {}

/** Reads bytes sequentially, and never beyond their end. */
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

  /** Advances by `length` bytes and returns where they begin. */
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

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Throws for invalid bytes instead of replacing them. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw new MalformedBytes("is not UTF-8");
  }
}

/** Returns whether UTF-8 can encode a string: an unpaired surrogate has no encoding. */
export function isWellFormed(text: string): boolean {
  return text === "" || !/\p{Surrogate}/u.test(text);
}

/** Text as Java's streams hold it: UTF-16 units, each in one to three bytes, and zero in two. */
export function decodeModifiedUtf8(bytes: Uint8Array): string {
  if (bytes.every((byte) => byte < 0x80))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; count++) {
    const first = bytes[at++] ?? 0;
    if (first < 0x80) units[count] = first;
    else if (first >> 5 === 0b110) units[count] = ((first & 31) << 6) | continuation(bytes, at++);
    else if (first >> 4 === 0b1110)
      units[count] = ((first & 15) << 12) | (continuation(bytes, at++) << 6) | continuation(bytes, at++);
    else throw new MalformedBytes("has a string that is not Java's modified UTF-8");
  }
  return Buffer.from(units.buffer, 0, count * 2).toString("utf16le");
}

function continuation(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined || byte >> 6 !== 0b10)
    throw new MalformedBytes("has a string that is not Java's modified UTF-8");
  return byte & 63;
}

/** The same text as bytes: UTF-16 units one by one, also halves of pairs. */
export function encodeModifiedUtf8(text: string): Buffer {
  const bytes = Buffer.alloc(text.length * 3);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0 && unit < 0x80) bytes[length++] = unit;
    else if (unit < 0x800) {
      bytes[length++] = 0xc0 | (unit >> 6);
      bytes[length++] = 0x80 | (unit & 63);
    } else {
      bytes[length++] = 0xe0 | (unit >> 12);
      bytes[length++] = 0x80 | ((unit >> 6) & 63);
      bytes[length++] = 0x80 | (unit & 63);
    }
  }
  return bytes.subarray(0, length);
}
