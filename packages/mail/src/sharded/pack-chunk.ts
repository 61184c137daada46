import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { Item } from "@tablekeep/core";
import { chunkKey } from "./keys.ts";

/** Bytes of a message in one item; not compressible, they still fit. */
export const chunkBytes: number = 256 * 1024;

/** Smaller chunks are packed at once: handing them to another thread takes longer. */
const smallBytes = 64 * 1024;

/** The fastest: of base64, which large mails are made of, no other gets more, and deflate takes six times as long. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

/** What comes from another thread comes in one piece: each piece would be a way there and back. */
const largeOptions = { ...options, chunkSize: chunkBytes };

const compressAsync = promisify(brotliCompress);

/** The item of one chunk, packed if that makes it smaller. */
export async function packChunk(
  body: string,
  index: number,
  bytes: Uint8Array,
  expires: number,
): Promise<Item> {
  const packed =
    bytes.length <= smallBytes
      ? brotliCompressSync(bytes, options)
      : await compressAsync(bytes, largeOptions);
  const key = { ...chunkKey(body, index), expires: { N: String(expires) } };
  return packed.length < bytes.length ? { ...key, brotli: { B: packed } } : { ...key, plain: { B: bytes } };
}

/** The bytes of a chunk; undefined if there is no such item or it cannot be read. */
export function unpackChunk(item: Item | undefined): Uint8Array | undefined {
  const plain = item?.["plain"]?.B;
  if (plain !== undefined) return plain;
  const packed = item?.["brotli"]?.B;
  if (packed === undefined) return undefined;
  try {
    return brotliDecompressSync(packed, { maxOutputLength: chunkBytes });
  } catch {
    return undefined;
  }
}
