import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions } from "./mail-error.ts";

/** Limits of what stores keep in memory for counts and searches. */
export interface SearchMemoryOptions {
  /** Approximate bytes of all stores together. @default 268,435,456 */
  readonly maxBytes?: number;
}

/** What stores keep in memory for counts and searches. Several stores can share one, and have its limit together. */
export interface SearchMemory {
  readonly maxBytes: number;
  /** Approximate bytes in use. */
  readonly usedBytes: number;
  /** Adds a cache. `drop` empties it: called when others need the memory. */
  add(drop: () => void): MemoryShare;
}

/** The part of a {@link SearchMemory} that one cache uses. */
export interface MemoryShare {
  /** Reports how many bytes the cache has now. The cache that was used least recently is dropped first, this one last. */
  use(bytes: number): void;
}

const checks: OptionChecks<SearchMemoryOptions> = { maxBytes: optionCheck.integer(1) };

/**
 * Creates a memory for several stores.
 *
 * @example
 * const searchMemory = createSearchMemory({ maxBytes: 100_000_000 });
 * const inboxes = await Promise.all(names.map((inbox) => openMail(port, { inbox, searchMemory })));
 */
export function createSearchMemory(options: SearchMemoryOptions = {}): SearchMemory {
  checkOptions(options, checks);
  const { maxBytes = 268_435_456 } = options;
  /** The caches that are not empty, by last use, with their bytes. */
  const shares = new Map<() => void, number>();
  let usedBytes = 0;
  let last: (() => void) | undefined;
  const remove = (drop: () => void) => {
    usedBytes -= shares.get(drop) ?? 0;
    shares.delete(drop);
  };
  return {
    maxBytes,
    get usedBytes() {
      return usedBytes;
    },
    add: (drop) => ({
      use(bytes) {
        if (drop === last) usedBytes -= shares.get(drop) ?? 0;
        else remove(drop);
        if (bytes === 0) {
          shares.delete(drop);
          return;
        }
        last = drop;
        shares.set(drop, bytes);
        usedBytes += bytes;
        for (const oldest of shares.keys()) {
          if (usedBytes <= maxBytes) return;
          remove(oldest);
          oldest();
        }
      },
    }),
  };
}

/** The memory of one store, which can be emptied. */
export interface StoreMemory extends Pick<SearchMemory, "add"> {
  /** Drops everything. */
  close(): void;
}

export function storeMemory(memory: SearchMemory): StoreMemory {
  const drops: (() => void)[] = [];
  return {
    add(drop) {
      const share = memory.add(drop);
      drops.push(() => {
        drop();
        share.use(0);
      });
      return share;
    },
    close() {
      for (const drop of drops) drop();
    },
  };
}
