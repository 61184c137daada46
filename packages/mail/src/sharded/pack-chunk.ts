import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { Item } from "@tablekeep/core";
import { type Base64Lines, readBase64Lines, writeBase64Lines } from "./base64-lines.ts";
import { chunkKey } from "./keys.ts";

/** Bytes of a message in one item; not compressible, they still fit. */
export const chunkBytes: number = 256 * 1024;

/** Smaller chunks are packed at once: handing them to another thread takes longer. */
const smallBytes = 64 * 1024;

/** The fastest; deflate takes several times as long for little more. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

/** What comes from another thread comes in one piece: each piece would be a way there and back. */
const largeOptions = { ...options, chunkSize: chunkBytes };

const none = new Uint8Array(0);

const compressAsync = promisify(brotliCompress);

/** The item of one chunk, packed if that makes it smaller. */
export async function packChunk(
  body: string,
  index: number,
  bytes: Uint8Array,
  expires: number,
): Promise<Item> {
  const key = { ...chunkKey(body, index), expires: { N: String(expires) } };
  if (bytes.length <= smallBytes) return { ...key, ...packed(bytes, brotliCompressSync(bytes, options)) };
  const lines = readBase64Lines(bytes);
  if (lines !== undefined) return { ...key, ...base64Attributes(lines) };
  return { ...key, ...packed(bytes, await compressAsync(bytes, largeOptions)) };
}

function packed(bytes: Uint8Array, brotli: Uint8Array): Item {
  return brotli.length < bytes.length ? { brotli: { B: brotli } } : { plain: { B: bytes } };
}

function base64Attributes({ before, decoded, width, after }: Base64Lines): Item {
  return { before: { B: before }, base64: { B: decoded }, width: { N: String(width) }, after: { B: after } };
}

/** The bytes of a chunk; undefined if there is no such item or it cannot be read. */
export function unpackChunk(item: Item | undefined): Uint8Array | undefined {
  const plain = item?.["plain"]?.B;
  if (plain !== undefined) return plain;
  const decoded = item?.["base64"]?.B;
  if (decoded !== undefined) {
    const [before = none, after = none] = [item?.["before"]?.B, item?.["after"]?.B];
    return writeBase64Lines({ before, decoded, width: Number(item?.["width"]?.N), after });
  }
  const brotli = item?.["brotli"]?.B;
  if (brotli === undefined) return undefined;
  try {
    return brotliDecompressSync(brotli, { maxOutputLength: chunkBytes });
  } catch {
    return undefined;
  }
}
