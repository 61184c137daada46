import { createHash, timingSafeEqual } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { createInflate } from "node:zlib";

/** What the chunks of a snapshot must add up to. */
export interface WholeBytes {
  readonly deflated: boolean;
  /** Bytes of the whole, unpacked. */
  readonly byteLength: number;
  /** The SHA-256 of the whole, unpacked. */
  readonly sha256: Uint8Array;
}

/** Chunks that do not add up to what was saved. */
export class ChunksDamaged extends Error {}

/**
 * Unpacks chunks into one array of the size that they should have, and compares the checksum. Holds the whole once and a
 * few chunks beside it. What `chunks` throws, this throws.
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
    throw new ChunksDamaged("has another checksum than what was saved");
  return joined;
}

/** Tells failures of the source, which pass through as they are, from those of unpacking. */
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
