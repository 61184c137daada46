import { readFileSync } from "node:fs";
import { type CancelTimer, systemClock } from "@tablekeep/core";

/** Entries between two measurements. One may map 64 KB: the system maps what is cached around a page that is read. */
const stride = 1024;

/** Where pages are larger, the limit is higher by the same factor. */
const systemPageBytes = 4096;

/** The default limit. */
const defaultBytes = 48 * 1024 * 1024;

/** The time between two mappings. Under load, the pages in use are soon mapped again, and each of them costs a page fault. */
const intervalMs = 10_000;

/**
 * Maps the file of a database again when much of it is mapped. Pages that were read stay mapped, and tools such as `ps` count them as
 * memory of the process, although the system drops them when memory is short. Only Linux tells how many there are; elsewhere there is
 * no limit.
 */
export class MappedMemory {
  readonly #maxBytes: number;
  readonly #mapAgain: () => boolean;
  /** What else is mapped: the program and its libraries. */
  #otherBytes = mappedBytes();
  #entries = 0;
  #mappedAt = Number.NEGATIVE_INFINITY;
  /** Set if the file could not be mapped again when it was time. */
  #isDue = false;
  #cancelTimer: CancelTimer | undefined;

  /** `mapAgain` runs between two turns of the event loop, so that no scan is in progress. Returns whether it did. Must not throw. */
  constructor(mapAgain: () => boolean, maxBytes: number = defaultBytes) {
    this.#mapAgain = mapAgain;
    this.#maxBytes = maxBytes;
  }

  /** Counts entries that were read or written. */
  count(entries: number): void {
    this.#entries += entries;
    if (this.#entries < stride || this.#otherBytes === undefined || this.#cancelTimer !== undefined) return;
    this.#entries = 0;
    if ((mappedBytes() ?? 0) - this.#otherBytes <= this.#maxBytes) return;
    const waitMs = this.#mappedAt + intervalMs - systemClock.monotonic();
    this.#cancelTimer = systemClock.after(Math.max(0, waitMs), () => this.#run(), { background: true });
  }

  /** Maps the file again if that was not possible when it was time. Call it when it is. */
  mapIfDue(): void {
    if (this.#isDue) this.#run();
  }

  close(): void {
    this.#cancelTimer?.();
  }

  #run(): void {
    this.#cancelTimer = undefined;
    this.#mappedAt = systemClock.monotonic();
    this.#isDue = !this.#mapAgain();
    if (!this.#isDue) this.#otherBytes = mappedBytes();
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
