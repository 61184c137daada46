import { asBinary, type Key, open, type RootDatabase, type Transaction } from "lmdb";
import type { SharedDatabase } from "./folder-lock.ts";
import type { StorageKey } from "./storage.ts";

/**
 * With 8 KB pages keys may be 4026 bytes long, enough for the longest pair of DynamoDB keys with its index entry, and
 * no slower than 4 KB pages.
 */
export const pageSize = 8192;

/** Up to this many characters a loop is faster than a call into native code. */
const maxLoopLength = 100;

/** Keys are strings of bytes already; they are stored as one byte per character. */
const keyEncoder = {
  writeKey(key: StorageKey, target: Buffer, position: number): number {
    const { length } = key;
    if (length > maxLoopLength) return position + target.write(key, position, "latin1");
    for (let at = 0; at < length; at++) target[position + at] = key.charCodeAt(at);
    return position + length;
  },
  readKey(source: Buffer, start: number, end: number): StorageKey {
    return source.toString("latin1", start, end);
  },
};

export type LmdbDatabase = RootDatabase<string, Key>;
/** A state of the database that reads can be pinned to. */
export type LmdbSnapshot = Transaction;

/** Opens LMDB's files in a folder. */
export function openEnvironment(path: string, durable: boolean): LmdbDatabase {
  return open<string, Key>({
    path,
    pageSize,
    // Otherwise a folder with a dot in its name would be treated as a file.
    noSubdir: false,
    // These options exist at run time but are missing in the published types. A group of {@link BackgroundCommits} is written
    // once it is complete, however long it is.
    ...({ keyEncoder, batchStartThreshold: Number.MAX_SAFE_INTEGER } as object),
    encoding: "string",
    compression: false,
    // With overlapping sync, readers would see data before it is on the disk.
    overlappingSync: false,
    // Otherwise each group of {@link BackgroundCommits} has a second promise, whose rejection cannot be handled.
    eventTurnBatching: false,
    // LMDB: MDB_NOSYNC — a system crash may corrupt the database. MDB_NOMETASYNC would keep it intact, but flushes at
    // each commit, which this option exists to avoid.
    noSync: !durable,
  });
}

/** A buffer that lmdb reads from `start` to `end`, or entirely if they are absent. */
type ReusedBytes = Buffer & { start?: number; end?: number };

/** An item has at most 400 KB, a third more in base64, and at most three bytes per character. */
const maxReusedBytes = 2 * 1024 * 1024;

let encoded: ReusedBytes = Buffer.allocUnsafeSlow(64 * 1024);
let encodedValue = asBinary(encoded);

/** Enlarges the buffer. Memory that is never written costs nothing. */
function growBuffer(bytes: number): void {
  encoded = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(maxReusedBytes, 4 * encoded.length)));
  encodedValue = asBinary(encoded);
}

/**
 * Writes a string inside a transaction. lmdb has copied it when `putSync` returns, so all strings share one
 * buffer; lmdb itself would allocate one for each.
 */
export function putString(database: LmdbDatabase, key: StorageKey, text: string): void {
  // A character has at most three bytes.
  const maxBytes = text.length * 3;
  if (maxBytes > maxReusedBytes) {
    database.putSync(key, text);
    return;
  }
  if (maxBytes > encoded.length) growBuffer(maxBytes);
  encoded.start = 0;
  encoded.end = encoded.write(text, "utf8");
  database.putSync(key, encodedValue as unknown as string);
}

/** More than this is not kept for the next commit. */
const maxKeptBytes = 16 * 1024 * 1024;

/** Commits changes in a thread of LMDB, one group after the other. */
export class BackgroundCommits {
  /** LMDB reads the values from here until the commit has ended; the next one reuses it. */
  #memory = Buffer.alloc(0);

  /**
   * Commits all changes or none, flushed before they are visible. Start it only after the former one has ended. Rejects
   * with LMDB's own error.
   */
  async run(database: LmdbDatabase, changes: ReadonlyMap<StorageKey, string | undefined>): Promise<void> {
    const memory = this.#memoryFor(changes);
    try {
      await database.batch(() => {
        let at = 0;
        for (const [key, value] of changes) {
          if (value === undefined) {
            void database.remove(key);
            continue;
          }
          // A character has at most three bytes; most strings have one byte each, and counting them takes time.
          const fits = at + 3 * value.length <= memory.length;
          const bytes = fits ? memory.subarray(at, at + memory.write(value, at, "utf8")) : Buffer.from(value);
          if (fits) at += bytes.length;
          void database.put(key, asBinary(bytes) as unknown as string);
        }
      });
    } catch (error) {
      // The reason follows in another promise.
      await (error as { commitError?: Promise<never> }).commitError;
      throw error;
    }
  }

  /** Memory for all values whose characters have one byte each; others may not fit. */
  #memoryFor(changes: ReadonlyMap<StorageKey, string | undefined>): Buffer {
    let sum = 0;
    let longest = 0;
    for (const value of changes.values()) {
      const length = value?.length ?? 0;
      sum += length;
      longest = Math.max(longest, length);
    }
    const bytes = sum + 2 * longest;
    if (bytes <= this.#memory.length) return this.#memory;
    if (bytes > maxKeptBytes) return Buffer.allocUnsafeSlow(bytes);
    this.#memory = Buffer.allocUnsafeSlow(Math.min(maxKeptBytes, 2 * bytes));
    return this.#memory;
  }
}

/**
 * Closes LMDB before it returns, so that it can be opened again at once. No commit may be in flight: lmdb would wait for
 * the promise of the last one, although that has ended. An error does not matter, as long as it can be reopened.
 */
export function closeAtOnce(database: LmdbDatabase): void {
  (database as { _endWrites?: unknown })._endWrites = undefined;
  database.close().catch(() => undefined);
}

/** LMDB as the folder lock needs it: the system keeps its writer lock and its list of readers for all processes. */
export function sharedDatabase(database: () => LmdbDatabase): SharedDatabase {
  return {
    // Nothing is written: the transaction is only there for its lock.
    runExclusively: (work) => database().transactionSync(work),
    registerReader: () => registerReader(database()),
    hasOtherReaders() {
      database().readerCheck();
      return /^\s*\d+\s/m.test(database().readerList());
    },
  };
}

/**
 * Adds an entry to the list of readers. The entry belongs to a read transaction, which must end so that it does not
 * retain old data; the next read takes the entry over. Inside a write transaction there is no such read, so the
 * caller ends it with the returned function.
 */
function registerReader(database: LmdbDatabase): () => void {
  const transaction = database.useReadTransaction();
  return () => {
    transaction.done();
    database.get("\0");
  };
}
