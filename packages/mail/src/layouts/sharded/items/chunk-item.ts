import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { Item } from "@tablekeep/core";
import { chunkKey } from "./mail-keys.ts";

/** Bytes of a message in one item. They fit even if they do not compress. */
export const chunkBytes: number = 256 * 1024;

/** Smaller chunks are packed synchronously: passing them to another thread takes longer. */
const smallBytes = 64 * 1024;

/** The fastest quality; deflate takes several times as long and saves little more. */
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };

/** One output buffer: each further one would be another round trip to the thread. */
const largeOptions = { ...options, chunkSize: chunkBytes };

const none = new Uint8Array(0);

const compressAsync = promisify(brotliCompress);

export interface ChunkOptions {
  /** The time in seconds at which the item expires. */
  readonly expires: number;
  /** Chunks of up to this many bytes are not packed. @default 0 */
  readonly plainBytes?: number;
}

/** The item of one chunk, packed if that makes it smaller. */
export async function packChunk(
  body: string,
  index: number,
  bytes: Uint8Array,
  { expires, plainBytes = 0 }: ChunkOptions,
): Promise<Item> {
  const key = { ...chunkKey(body, index), expires: { N: String(expires) } };
  if (bytes.length <= plainBytes) return { ...key, plain: { B: bytes } };
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

/** Returns the bytes of a chunk; undefined if the item is missing or invalid. */
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

/** A piece of a message that is mostly lines of base64, with these lines decoded. */
export interface Base64Lines {
  readonly before: Uint8Array;
  /** The decoded lines. */
  readonly decoded: Uint8Array;
  /** Characters in each line, without its CR LF. */
  readonly width: number;
  readonly after: Uint8Array;
}

const carriageReturn = 13;
const lineFeed = 10;

/** Bytes that are not in lines may be this part of all. */
const maxRest = 1 / 4;

/**
 * Decodes base64 if nearly all of the bytes are complete lines of it, all equally long, so that {@link writeBase64Lines}
 * returns the same bytes again. Attachments consist of such lines; this saves a quarter, as much as a general compressor
 * does at ten times the cost.
 */
export function readBase64Lines(bytes: Uint8Array): Base64Lines | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const middle = buffer.indexOf("\r\n", buffer.length >> 1, "latin1");
  const next = middle < 0 ? -1 : buffer.indexOf("\r\n", middle + 2, "latin1");
  const width = next - middle - 2;
  if (next < 0 || width < 40 || width % 4 !== 0 || width > 1000) return undefined;
  const { start, end } = equalLines(buffer, middle + 2, width + 2);
  if (end - start < buffer.length * (1 - maxRest)) return undefined;
  const decoded = decodeLines(buffer.subarray(start, end), width);
  if (decoded === undefined) return undefined;
  return { before: buffer.subarray(0, start), decoded, width, after: buffer.subarray(end) };
}

/** Lines that are decoded at once: strings of this length are much cheaper to make than one of all lines. */
const linesAtOnce = 100;

/** Decodes complete lines of base64; undefined if they are anything else. */
function decodeLines(lines: Buffer, width: number): Buffer | undefined {
  // Node also decodes the URL alphabet of base64, and would encode the standard one.
  if (lines.includes("-") || lines.includes("_")) return undefined;
  const step = width + 2;
  const decoded = Buffer.allocUnsafeSlow((lines.length / step) * (width / 4) * 3);
  let at = 0;
  for (let from = 0; from < lines.length; from += linesAtOnce * step) {
    const text = lines.toString("latin1", from, Math.min(lines.length, from + linesAtOnce * step));
    at += decoded.write(text, at, "base64");
  }
  // Node skips characters that are not base64: bytes are then missing.
  return at === decoded.length ? decoded : undefined;
}

/** The range of consecutive lines of equal length, line end included, around the start of one of them. */
function equalLines(buffer: Buffer, at: number, step: number): { start: number; end: number } {
  const endsLine = (end: number) => buffer[end - 2] === carriageReturn && buffer[end - 1] === lineFeed;
  let start = at;
  while (start - step >= 2 && endsLine(start - step)) start -= step;
  let end = at;
  while (end + step <= buffer.length && endsLine(end + step)) end += step;
  return { start, end };
}

/** The bytes that {@link readBase64Lines} decoded; undefined for invalid values. */
export function writeBase64Lines({ before, decoded, width, after }: Base64Lines): Buffer | undefined {
  const text = Buffer.from(Buffer.from(decoded).toString("base64"), "latin1");
  const lines = text.length / width;
  if (!Number.isInteger(lines)) return undefined;
  const bytes = Buffer.allocUnsafe(before.length + lines * (width + 2) + after.length);
  bytes.set(before, 0);
  let at = before.length;
  for (let from = 0; from < text.length; from += width) {
    at += text.copy(bytes, at, from, from + width);
    bytes[at++] = carriageReturn;
    bytes[at++] = lineFeed;
  }
  bytes.set(after, at);
  return bytes;
}
