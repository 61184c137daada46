/** Answers up to this long share their memory, which is kept; longer ones are rare, and get memory of their own. */
const longestShared = 2 * 1024 * 1024;

/**
 * Joins the pieces in which an answer came. They are put where those of the last answer were: new memory for each would
 * cost more than to copy them.
 */
export class PieceJoiner {
  #shared: Buffer = Buffer.alloc(0);

  /** All bytes in a row, which may be looked at until the next call. */
  join(pieces: readonly Buffer[]): Buffer {
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined) return only;
    let length = 0;
    for (const piece of pieces) length += piece.length;
    if (length > longestShared) return Buffer.concat(pieces, length);
    if (length > this.#shared.length)
      this.#shared = Buffer.allocUnsafeSlow(Math.min(length * 2, longestShared));
    let at = 0;
    for (const piece of pieces) {
      this.#shared.set(piece, at);
      at += piece.length;
    }
    return this.#shared.subarray(0, length);
  }
}
