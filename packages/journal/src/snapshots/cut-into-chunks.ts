import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createDeflate } from "node:zlib";

/** How bytes are cut. */
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

/** Bytes that are hashed or compressed between two breaths of the process. */
const sliceBytes = 256 * 1024;

/** Compresses bytes, if so wanted, and cuts them. */
export function cutIntoChunks(bytes: Uint8Array, { deflated, chunkBytes }: ChunkShape): ChunkStream {
  const hash = createHash("sha256");
  const slices = slicesOf(bytes, deflated ? sliceBytes : chunkBytes, (slice) => hash.update(slice));
  return {
    chunks: deflated ? regrouped(compressed(slices), chunkBytes) : slices,
    sha256: () => hash.digest(),
  };
}

/** More than this many chunks never come of so many bytes: compression makes bytes longer by less than a thousandth. */
export function mostChunks(byteLength: number, { deflated, chunkBytes }: ChunkShape): number {
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
  // Its failures come out of the stream that is iterated; here they would only be heard twice.
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
