const empty = Buffer.alloc(0);

/** Bytes that came and were not read yet. */
export interface InputBuffer {
  readonly bytes: Buffer;
  feed(bytes: Uint8Array): void;
  /** The first `count` bytes are read. */
  consume(count: number): void;
  clear(): void;
}

export function inputBuffer(): InputBuffer {
  let bytes: Buffer = empty;
  return {
    get bytes() {
      return bytes;
    },
    feed(more) {
      const chunk = Buffer.from(more.buffer, more.byteOffset, more.byteLength);
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    },
    consume(count) {
      bytes = count >= bytes.length ? empty : bytes.subarray(count);
    },
    clear() {
      bytes = empty;
    },
  };
}
