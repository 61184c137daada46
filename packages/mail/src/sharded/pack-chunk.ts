import { promisify } from "node:util";
import { deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import type { Item } from "@tablekeep/core";
import { chunkKey } from "./keys.ts";

/** Bytes of a message in one item; not compressible, they still fit. */
export const chunkBytes: number = 256 * 1024;

/** Smaller chunks are packed at once: handing them to another thread takes longer. */
const smallBytes = 32 * 1024;

/** The fastest level: of base64, which large mails are made of, no level gets more. */
const level = 1;

const deflateAsync = promisify(deflateRaw);

/** The item of one chunk, packed if that makes it smaller. */
export async function packChunk(
  body: string,
  index: number,
  bytes: Uint8Array,
  expires: number,
): Promise<Item> {
  const packed =
    bytes.length <= smallBytes ? deflateRawSync(bytes, { level }) : await deflateAsync(bytes, { level });
  const key = { ...chunkKey(body, index), expires: { N: String(expires) } };
  return packed.length < bytes.length ? { ...key, packed: { B: packed } } : { ...key, plain: { B: bytes } };
}

/** The bytes of a chunk; undefined if there is no such item or it cannot be read. */
export function unpackChunk(item: Item | undefined): Uint8Array | undefined {
  const plain = item?.["plain"]?.B;
  if (plain !== undefined) return plain;
  const packed = item?.["packed"]?.B;
  if (packed === undefined) return undefined;
  try {
    return inflateRawSync(packed, { maxOutputLength: chunkBytes });
  } catch {
    return undefined;
  }
}
