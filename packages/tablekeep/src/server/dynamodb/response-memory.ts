/** Longer responses are rare, and get their own memory. */
const longest = 4 * 1024 * 1024;

/** The maximum number of pieces kept for later responses. */
const maxFree = 4;

/**
 * Memory of long responses, reused once a response is sent. Most of the time of a page of 100 KB goes into memory that is
 * new: the system clears it, and the garbage collector runs because of it.
 */
export class ResponseMemory {
  readonly #free: Buffer[] = [];

  /** Returns memory of at least this many bytes. It still contains an earlier response. */
  acquire(bytes: number): Buffer {
    if (bytes > longest) return Buffer.allocUnsafeSlow(bytes);
    const free = this.#free.pop();
    // A piece that is too short is dropped: other responses will probably be as long as this one.
    return free !== undefined && free.length >= bytes ? free : Buffer.allocUnsafeSlow(nextPowerOfTwo(bytes));
  }

  /** Accepts memory that is no longer in use. */
  release(memory: Buffer): void {
    if (memory.length <= longest && this.#free.length < maxFree) this.#free.push(memory);
  }
}

function nextPowerOfTwo(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(bytes));
}
