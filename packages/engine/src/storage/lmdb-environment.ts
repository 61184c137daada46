import { asBinary, type Key, open, type RootDatabase } from "lmdb";
import type { SharedDatabase } from "./folder-lock.ts";
import type { StorageKey } from "./storage.ts";

/**
 * 8 KB pages: keys may then be 4026 bytes long, which holds the longest pair of DynamoDB keys with its index entry,
 * at no loss of speed against 4 KB pages.
 */
export const pageSize = 8192;

/** Up to this many characters a loop is faster than a call of Node's native code. */
const longestByHand = 100;

/** Our keys are texts of bytes already; they go to the store one byte a character. */
const keyEncoder = {
  writeKey(key: StorageKey, target: Buffer, position: number): number {
    const { length } = key;
    if (length > longestByHand) return position + target.write(key, position, "latin1");
    for (let at = 0; at < length; at++) target[position + at] = key.charCodeAt(at);
    return position + length;
  },
  readKey(source: Buffer, start: number, end: number): StorageKey {
    return source.toString("latin1", start, end);
  },
};

export type LmdbDatabase = RootDatabase<string, Key>;

/** Opens LMDB's files in a folder. */
export function openEnvironment(path: string, durable: boolean): LmdbDatabase {
  return open<string, Key>({
    path,
    pageSize,
    // Without this a folder with a dot in its name would be taken for a file.
    noSubdir: false,
    // The option exists at run time; the published types lack it.
    ...({ keyEncoder } as object),
    encoding: "string",
    compression: false,
    // With overlapping sync data is visible to readers before it is on the disk.
    overlappingSync: false,
    // LMDB: MDB_NOSYNC — a system crash may corrupt the database. MDB_NOMETASYNC would keep it intact, but flushes once a
    // commit, which is what the option is there to avoid.
    noSync: !durable,
  });
}

/** A piece of memory that lmdb reads from `start` to `end`, or in whole where they are absent. */
type ReusedBytes = Buffer & { start?: number; end?: number };

/** An item has at most 400 KB, a third more as base64; each character at most three bytes. */
const mostReused = 2 * 1024 * 1024;

let encoded: ReusedBytes = Buffer.allocUnsafeSlow(64 * 1024);
let encodedValue = asBinary(encoded);

/** Makes the piece of memory larger. What of it is never written takes no room. */
function growTo(bytes: number): void {
  encoded = Buffer.allocUnsafeSlow(Math.max(bytes, Math.min(mostReused, 4 * encoded.length)));
  encodedValue = asBinary(encoded);
}

/**
 * Writes a text inside a transaction. lmdb has copied it when `putSync` returns, so that all texts are encoded in the
 * same piece of memory; lmdb's own way takes a new one for each.
 */
export function putText(database: LmdbDatabase, key: StorageKey, text: string): void {
  // A character is at most three bytes.
  const most = text.length * 3;
  if (most > mostReused) {
    database.putSync(key, text);
    return;
  }
  if (most > encoded.length) growTo(most);
  encoded.start = 0;
  encoded.end = encoded.write(text, "utf8");
  database.putSync(key, encodedValue as unknown as string);
}

/** LMDB as the folder's lock sees it: its writer lock and its list of readers are kept by the system for all processes. */
export function sharedDatabase(database: () => LmdbDatabase): SharedDatabase {
  return {
    // Nothing is written: the transaction is there for the lock that it holds.
    exclusively: (work) => database().transactionSync(work),
    showPresence: () => showPresence(database()),
    usedByOthers() {
      database().readerCheck();
      return /^\s*\d+\s/m.test(database().readerList());
    },
  };
}

/**
 * Enters the list of readers. The entry belongs to a read transaction, which must be ended lest it hold on to old data;
 * the read that comes at once after it takes the entry over. Inside a write transaction no read would, so that the
 * caller ends it by the function that comes back.
 */
export function showPresence(database: LmdbDatabase): () => void {
  const transaction = database.useReadTransaction();
  return () => {
    transaction.done();
    database.get("\0");
  };
}
