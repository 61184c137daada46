import { crc32 } from "node:zlib";

/** The CRC-32 of every single byte. */
const table = Int32Array.from({ length: 256 }, (_unused, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** Longer ones are faster in native code, which costs as much for nothing as this for that many. */
const longest = 64;

/** The CRC-32 of a short text, going on from `before`. */
export function crc32OfHead(text: string, before: number): number {
  if (text.length > longest) return crc32(text, before);
  let crc = ~before;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return crc32(text, before);
    crc = (table[(crc ^ code) & 255] as number) ^ (crc >>> 8);
  }
  return ~crc >>> 0;
}
