import { readFileSync } from "node:fs";

/** Entries between two measurements. One may map 64 KB: the system maps what is cached around a page that is read. */
const stride = 1024;

/** Where pages are larger, the limit is higher by the same factor. */
const systemPageBytes = 4096;

/** The default limit. */
const defaultBytes = 96 * 1024 * 1024;

/**
 * Decides when to map the file of a database again. Pages that were read stay mapped, and tools such as `ps` count them as memory of
 * the process, although the system drops them when memory is short. Only Linux tells how many there are; elsewhere there is no limit.
 */
export class MappedMemory {
  readonly #maxBytes: number;
  /** What else is mapped: the program and its libraries. */
  #otherBytes = mappedBytes();
  #entries = 0;

  constructor(maxBytes: number = defaultBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Counts entries that were read or written. Returns whether more than the maximum is mapped. */
  isFull(entries: number): boolean {
    this.#entries += entries;
    if (this.#entries < stride || this.#otherBytes === undefined) return false;
    this.#entries = 0;
    return (mappedBytes() ?? 0) - this.#otherBytes > this.#maxBytes;
  }

  /** The file has just been mapped again. */
  reset(): void {
    this.#otherBytes = mappedBytes();
  }
}

/** Bytes of files in the memory of this process; undefined if the system does not tell. */
function mappedBytes(): number | undefined {
  try {
    // The third number: pages of files and of shared memory.
    return Number(readFileSync("/proc/self/statm", "latin1").split(" ")[2]) * systemPageBytes;
  } catch {
    return undefined;
  }
}
