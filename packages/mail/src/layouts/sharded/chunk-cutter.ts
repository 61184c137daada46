import { overviewBytes } from "../../search/overview.ts";
import { chunkBytes } from "./chunk-item.ts";

/** Up to so many bytes a message is kept as it came. */
const smallBytes = 64 * 1024;

/** Cuts bytes that come in pieces into chunks of equal length. */
export interface ChunkCutter {
  /** Copies `bytes`; gives each chunk that is full and not the last, and goes on when that is dealt with. */
  add(bytes: Uint8Array, full: (chunk: Uint8Array) => Promise<void>): Promise<void>;
  /** The last chunk; empty only if there was no byte at all. */
  last(): Uint8Array;
  /** The first MiB, in one piece. */
  head(): Uint8Array;
}

/**
 * Each byte of a large message is copied once, to where its chunk is. Of the first MiB, which is looked at as a whole, all
 * chunks lie behind each other.
 */
export function chunkCutter(): ChunkCutter {
  let pieces: Uint8Array[] = [];
  let pending = 0;
  let first: Buffer | undefined;
  let room: Buffer | undefined;
  /** Of `room`: where the chunk begins that is not full, and where free space does. */
  let begin = 0;
  let end = 0;

  const fill = async (bytes: Uint8Array, full: (chunk: Uint8Array) => Promise<void>) => {
    for (let at = 0; at < bytes.length; ) {
      if (room === undefined || end === room.length) {
        if (room !== undefined) await full(room.subarray(begin, end));
        room = Buffer.allocUnsafeSlow(first === undefined ? overviewBytes : chunkBytes);
        first ??= room;
        begin = end = 0;
      }
      const taken = bytes.subarray(at, at + room.length - end);
      room.set(taken, end);
      at += taken.length;
      end += taken.length;
      for (; end - begin > chunkBytes; begin += chunkBytes)
        await full(room.subarray(begin, begin + chunkBytes));
    }
  };
  const joined = () => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, pending));
  return {
    async add(bytes, full) {
      if (room === undefined && pending + bytes.length <= smallBytes) {
        pieces.push(Uint8Array.prototype.slice.call(bytes));
        pending += bytes.length;
        return;
      }
      const earlier = pieces;
      pieces = [];
      for (const piece of earlier) await fill(piece, full);
      await fill(bytes, full);
    },
    last() {
      if (room === undefined) {
        pieces = [joined()];
        return pieces[0] as Uint8Array;
      }
      return room.subarray(begin, end);
    },
    head: () => (first === undefined ? joined() : first === room ? first.subarray(0, end) : first),
  };
}
