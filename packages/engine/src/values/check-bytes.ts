import { base64Size } from "@tablekeep/core";
import { serializationError, typeMismatch } from "./dynamo-errors.ts";

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns bytes as base64 in normal form. Throws if they are neither bytes nor base64. */
export function checkBytes(content: unknown): string {
  if (content instanceof Uint8Array) {
    return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("base64");
  }
  if (typeof content !== "string") throw typeMismatch(content, "Blob");
  if (!isBase64(content))
    throw serializationError("Base64 encoded length is unexpected: the value is not valid base64");
  return content.endsWith("=") ? clearPaddingBits(content) : content;
}

/** From this length on, decoding is ten times as fast as matching the pattern. */
const longBase64 = 256;
/** The length of the buffer into which values are decoded to count their bytes. A longer value cannot be in an item. */
const maxDecoded = 640 * 1024;
let decoded: Buffer = Buffer.alloc(0);

/**
 * Returns whether a string is base64 with its padding. Node's decoder skips invalid characters, so it
 * returns too few bytes for them. It also accepts base64url, and characters beyond Latin-1 by their lower byte; these are checked here.
 */
function isBase64(text: string): boolean {
  if (text.length < longBase64) return base64.test(text);
  if (text.length % 4 !== 0 || text.includes("-") || text.includes("_")) return false;
  if (Buffer.byteLength(text) !== text.length) return false;
  // The pattern would overflow the stack on a string of some megabytes.
  if (text.length > maxDecoded) return Buffer.from(text, "base64").length === base64Size(text);
  if (decoded.length === 0) decoded = Buffer.allocUnsafeSlow(maxDecoded);
  return decoded.write(text, "base64") === base64Size(text);
}

/** Clears unused bits of the last character: equal bytes must have equal base64. */
function clearPaddingBits(text: string): string {
  const last = Buffer.from(text.slice(-4), "base64").toString("base64");
  return text.endsWith(last) ? text : text.slice(0, -4) + last;
}
