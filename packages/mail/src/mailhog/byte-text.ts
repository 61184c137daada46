import { isAscii } from "node:buffer";

/**
 * Bytes as a text of one character a byte. MailHog cuts messages by bytes; this keeps its cuts and sizes exact, and
 * {@link readable} makes text of the pieces.
 */
export function byteText(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1");
}

/** Turns pieces of a byte text into text: UTF-8, with U+FFFD for what is none. */
export type Readable = (piece: string) => string;

/** How to read pieces of these bytes. Those of pure ASCII are text already. */
export function readable(raw: Uint8Array): Readable {
  if (isAscii(raw)) return (piece) => piece;
  return (piece) => Buffer.from(piece, "latin1").toString("utf8");
}
