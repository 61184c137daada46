import { isAscii } from "node:buffer";
import { StringDecoder } from "node:string_decoder";

/**
 * Converts bytes to a byte text: a string of one character per byte. MailHog splits messages by bytes; this keeps positions and
 * sizes exact. {@link readable} decodes pieces of it.
 */
export function byteText(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1");
}

/** Decodes pieces of a byte text as UTF-8, with U+FFFD for malformed bytes. */
export type Readable = (piece: string) => string;

/** Returns the decoder for pieces of these bytes. Pure ASCII needs no decoding. */
export function readable(raw: Uint8Array): Readable {
  if (isAscii(raw)) return (piece) => piece;
  return (piece) => Buffer.from(piece, "latin1").toString("utf8");
}

/** Characters of one chunk. */
const chunkLength = 65_536;

/** A piece of a byte text that is decoded on demand, as a whole or in chunks. */
export class EncodedText {
  readonly bytes: string;
  readonly #ascii: boolean;

  constructor(bytes: string, ascii: boolean) {
    this.bytes = bytes;
    this.#ascii = ascii;
  }

  /** The whole text. */
  decode(): string {
    return this.#ascii ? this.bytes : Buffer.from(this.bytes, "latin1").toString("utf8");
  }

  /** The text in pieces of at most 64 Ki characters. */
  *chunks(): Generator<string, void, undefined> {
    if (this.#ascii) {
      yield* textChunks(this.bytes);
      return;
    }
    const decoder = new StringDecoder("utf8");
    for (let at = 0; at < this.bytes.length; at += chunkLength)
      yield decoder.write(Buffer.from(this.bytes.slice(at, at + chunkLength), "latin1"));
    yield decoder.end();
  }
}

/** Decodes bytes as UTF-8, in pieces of at most 64 Ki characters. */
export function* byteChunks(bytes: Uint8Array): Generator<string, void, undefined> {
  const decoder = new StringDecoder("utf8");
  for (let at = 0; at < bytes.length; at += chunkLength)
    yield decoder.write(
      Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(chunkLength, bytes.length - at)),
    );
  yield decoder.end();
}

/** Splits a string into pieces of about 64 Ki characters, never inside a surrogate pair. */
export function* textChunks(text: string): Generator<string, void, undefined> {
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + chunkLength - 1);
    const end = at + (last >= 0xd800 && last <= 0xdbff ? chunkLength - 1 : chunkLength);
    yield text.slice(at, end);
    at = end;
  }
}
