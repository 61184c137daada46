import { isUtf8 } from "node:buffer";

/** Windows-1252 where it differs from Latin-1, 0x80 to 0x9f. The decoder of Node 20 does not map these. */
export const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Decodes Windows-1252. */
export function decodeWestern(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return text.replaceAll(/[\u0080-\u009f]/g, (char) => windows1252.charAt(char.charCodeAt(0) - 0x80));
}

const utf8 = new TextDecoder();

/** Decodes UTF-8. Other bytes are read as Windows-1252, which senders use that do not name a charset. */
export function decodeUtf8(bytes: Uint8Array): string {
  return isUtf8(bytes) ? utf8.decode(bytes) : decodeMixed(bytes);
}

/** One pass, whatever the bytes: senders choose them. */
function decodeMixed(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const size = sequenceSize(bytes, at);
    let code = size > 1 ? first & (0x7f >> size) : first;
    for (let next = at + 1; next < at + size; next++) code = (code << 6) | ((bytes[next] ?? 0) & 0x3f);
    if (size === 0 && first < 0xa0) code = windows1252.charCodeAt(first - 0x80);
    if (code > 0xffff) units[length++] = 0xd7c0 + (code >> 10);
    units[length++] = code > 0xffff ? 0xdc00 | (code & 0x3ff) : code;
    at += Math.max(1, size);
  }
  return Buffer.from(units.buffer, 0, length * 2).toString("utf16le");
}

/** The bytes of the UTF-8 character that starts here; 0 if none does. */
function sequenceSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let next = at + 1; next < at + size; next++) if (((bytes[next] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  // Longer forms than necessary, halves of surrogate pairs, and characters after the last one.
  if ((first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90)) return 0;
  return (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f) ? 0 : size;
}
