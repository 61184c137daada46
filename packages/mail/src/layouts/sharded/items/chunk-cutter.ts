import { overviewBytes } from "../../../search/overview.ts";
import { chunkBytes } from "./chunk-item.ts";

/** Messages up to this size stay in the pieces in which they arrived. */
const smallBytes = 64 * 1024;

/** Cuts bytes that arrive in pieces into chunks of equal length. */
export interface ChunkCutter {
  /** Copies `bytes`. Passes each full chunk but the last to `full`, and continues when that resolves. */
  add(bytes: Uint8Array, full: (chunk: Uint8Array) => Promise<void>): Promise<void>;
  /** Returns the last chunk; empty only if there were no bytes. */
  last(): Uint8Array;
  /** The first MiB, in one piece. */
  head(): Uint8Array;
}

/**
 * Each byte of a large message is copied once, to its chunk. The chunks of the first MiB, which is read as one piece,
 * are contiguous.
 */
export function chunkCutter(): ChunkCutter {
  let pieces: Uint8Array[] = [];
  let pending = 0;
  let first: Buffer | undefined;
  let buffer: Buffer | undefined;
  /** Offsets in `buffer` of the unfinished chunk and of the free space. */
  let begin = 0;
  let end = 0;

  const fill = async (bytes: Uint8Array, full: (chunk: Uint8Array) => Promise<void>) => {
    for (let at = 0; at < bytes.length; ) {
      if (buffer === undefined || end === buffer.length) {
        if (buffer !== undefined) await full(buffer.subarray(begin, end));
        buffer = Buffer.allocUnsafeSlow(first === undefined ? overviewBytes : chunkBytes);
        first ??= buffer;
        begin = end = 0;
      }
      const copied = bytes.subarray(at, at + buffer.length - end);
      buffer.set(copied, end);
      at += copied.length;
      end += copied.length;
      for (; end - begin > chunkBytes; begin += chunkBytes)
        await full(buffer.subarray(begin, begin + chunkBytes));
    }
  };
  const joined = () => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, pending));
  return {
    async add(bytes, full) {
      if (buffer === undefined && pending + bytes.length <= smallBytes) {
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
      if (buffer === undefined) {
        pieces = [joined()];
        return pieces[0] as Uint8Array;
      }
      return buffer.subarray(begin, end);
    },
    head: () => (first === undefined ? joined() : first === buffer ? first.subarray(0, end) : first),
  };
}
