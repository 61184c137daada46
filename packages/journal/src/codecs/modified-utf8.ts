import { MalformedBytes } from "./byte-reader.ts";

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
    else throw new MalformedBytes("has text that is not Java's modified UTF-8");
  }
  return Buffer.from(units.buffer, 0, count * 2).toString("utf16le");
}

function continuation(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined || byte >> 6 !== 0b10)
    throw new MalformedBytes("has text that is not Java's modified UTF-8");
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
