import { createHash, timingSafeEqual } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createDeflate, createInflate } from "node:zlib";

/** How bytes are divided into chunks. */
export interface ChunkShape {
  readonly deflated: boolean;
  /** Bytes of every chunk but the last. */
  readonly chunkBytes: number;
}

/** Bytes as a stream of chunks. Only a few chunks exist at a time, whatever the size. */
export interface ChunkStream {
  readonly chunks: AsyncGenerator<Uint8Array, void, undefined>;
  /** The SHA-256 of the bytes before compression, once all chunks were taken. */
  sha256(): Uint8Array;
}

/** Bytes that are hashed or compressed before yielding to the event loop. */
const sliceBytes = 256 * 1024;

/** Divides bytes into chunks, compressed if requested. */
export function cutIntoChunks(bytes: Uint8Array, { deflated, chunkBytes }: ChunkShape): ChunkStream {
  const hash = createHash("sha256");
  const slices = slicesOf(bytes, deflated ? sliceBytes : chunkBytes, (slice) => hash.update(slice));
  return {
    chunks: deflated ? regrouped(compressed(slices), chunkBytes) : slices,
    sha256: () => hash.digest(),
  };
}

/** Returns the maximum number of chunks: compression makes bytes longer by less than a thousandth. */
export function maxChunks(byteLength: number, { deflated, chunkBytes }: ChunkShape): number {
  const most = deflated ? Math.ceil(byteLength * 1.001) + 64 : byteLength;
  return Math.max(1, Math.ceil(most / chunkBytes));
}

async function* slicesOf(
  bytes: Uint8Array,
  size: number,
  seen: (slice: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let from = 0; from < bytes.length || from === 0; from += size) {
    const slice = bytes.subarray(from, from + size);
    seen(slice);
    yield slice;
  }
}

function compressed(slices: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const deflate = createDeflate();
  // Its failures are thrown by the stream that is iterated; here they would be reported twice.
  pipeline(Readable.from(slices, { objectMode: false }), deflate, () => {});
  return deflate;
}

async function* regrouped(
  pieces: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let chunk = new Uint8Array(size);
  let filled = 0;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const part = piece.subarray(from, from + size - filled);
      chunk.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled === size) {
        yield chunk;
        chunk = new Uint8Array(size);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

/** The expected total of a snapshot's chunks. */
export interface WholeBytes {
  readonly deflated: boolean;
  /** Bytes of the whole, unpacked. */
  readonly byteLength: number;
  /** The SHA-256 of the whole, unpacked. */
  readonly sha256: Uint8Array;
}

/** The chunks differ from what was saved. */
export class ChunksDamaged extends Error {}

/**
 * Decompresses chunks into one array of the expected size and compares the checksum. Needs memory for the whole and a
 * few chunks. Errors of `chunks` are thrown unchanged.
 */
export async function joinChunks(chunks: AsyncIterable<Uint8Array>, whole: WholeBytes): Promise<Uint8Array> {
  const joined = new Uint8Array(whole.byteLength);
  const hash = createHash("sha256");
  let filled = 0;
  for await (const piece of whole.deflated ? unpacked(chunks) : chunks) {
    if (filled + piece.length > joined.length) throw new ChunksDamaged("has more bytes than were saved");
    joined.set(piece, filled);
    hash.update(piece);
    filled += piece.length;
  }
  if (filled < joined.length) throw new ChunksDamaged("has fewer bytes than were saved");
  const sum = hash.digest();
  if (sum.length !== whole.sha256.length || !timingSafeEqual(sum, whole.sha256))
    throw new ChunksDamaged("does not match the checksum that was saved");
  return joined;
}

/** Distinguishes failures of the source, which are thrown unchanged, from failures of decompression. */
async function* unpacked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let failure: { readonly error: unknown } | undefined;
  const watched = async function* () {
    try {
      yield* chunks;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const inflate = createInflate();
  pipeline(Readable.from(watched(), { objectMode: false }), inflate, () => {});
  try {
    for await (const piece of inflate) yield piece as Uint8Array;
  } catch (error) {
    if (failure !== undefined) throw failure.error;
    throw new ChunksDamaged("cannot be unpacked", { cause: error });
  }
}
