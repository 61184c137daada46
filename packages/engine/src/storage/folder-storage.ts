import { type Key, open, type RootDatabase } from "lmdb";
import { type KeyRange, type Storage, StorageFault, type StorageKey } from "./storage.ts";

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

export interface FolderStorageOptions {
  /** Whether a commit is on the disk before it returns. Off, a power cut may lose the last commits. @default true */
  readonly durable?: boolean;
}

/**
 * A storage in one folder, on LMDB.
 *
 * Each commit is one `transactionSync`: the engine groups all writers of a turn into it, it is on the disk before it
 * is visible, and a failed one throws right here instead of becoming a rejection elsewhere. The price is that the
 * event loop waits for the disk's flush, about 0.2 ms on an SSD, shared by all writers of the turn.
 */
export class FolderStorage implements Storage {
  readonly #database: RootDatabase<string, Key>;

  constructor(path: string, options: FolderStorageOptions = {}) {
    this.#database = open<string, Key>({
      path,
      pageSize,
      // The option exists at run time; the published types lack it.
      ...({ keyEncoder } as object),
      encoding: "string",
      compression: false,
      // With overlapping sync data is visible to readers before it is on the disk.
      overlappingSync: false,
      noSync: options.durable === false,
    });
  }

  get(key: StorageKey): string | undefined {
    return this.#database.get(key);
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    if (range.start >= range.end) return;
    // In reverse LMDB begins at `start` itself and stops above `end`.
    const bounds = range.reverse
      ? { start: range.end, end: range.start, reverse: true, exclusiveStart: true, inclusiveEnd: true }
      : { start: range.start, end: range.end };
    for (const { key, value } of this.#database.getRange({ ...bounds, snapshot: false })) {
      if (!visit(key as StorageKey, value)) return;
    }
  }

  commit(writes: ReadonlyMap<StorageKey, string | undefined>): void {
    try {
      this.#database.transactionSync(() => {
        for (const [key, value] of writes) {
          if (value === undefined) this.#database.removeSync(key);
          else this.#database.putSync(key, value);
        }
      });
    } catch (error) {
      throw faultOf(error);
    }
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

/** The codes by which LMDB and the system say that there is no room. */
const noRoom = new Set<unknown>(["ENOSPC", "EDQUOT", "MDB_MAP_FULL", -30792, 28, 122]);

function faultOf(error: unknown): StorageFault {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  const text = error instanceof Error ? error.message : String(error);
  if (noRoom.has(code) || /no space|ENOSPC|MAP_FULL|quota/i.test(text)) {
    return new StorageFault("full", "the disk is full", error);
  }
  return new StorageFault("failed", `the disk reported an error: ${text}`, error);
}
