import { type Key, open, type RootDatabase } from "lmdb";
import type { SharedDatabase } from "../folder/folder-lock.ts";
import type { StorageKey } from "./storage.ts";

/**
 * 8 KB pages: keys may then be 4026 bytes long, which holds the longest pair of DynamoDB keys with its index entry,
 * at no loss of speed against 4 KB pages.
 */
const pageSize = 8192;

/** Our keys are texts of bytes already; they go to the store one byte a character. */
const keyEncoder = {
  writeKey(key: StorageKey, target: Buffer, position: number): number {
    return position + target.write(key, position, "latin1");
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
    noSync: !durable,
  });
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
