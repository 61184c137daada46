import * as zlib from "node:zlib";

/** CRC-32 as gzip computes it. Node has it built in since 20.15; before, a table does. */
export const crc32: (bytes: Buffer) => number =
  "crc32" in zlib ? (bytes) => (zlib.crc32 as (data: Buffer) => number)(bytes) : crc32ByTable;

const table = Uint32Array.from({ length: 256 }, (_unused, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The same without the built-in. */
export function crc32ByTable(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = (table[(sum ^ byte) & 255] as number) ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}
