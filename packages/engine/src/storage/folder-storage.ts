import { resolve } from "node:path";
import { checkDatabaseFile, databaseFileState, waitForCreation } from "./database-file.ts";
import { diskError, isDiskFull } from "./disk-error.ts";
import { checkFormat, prepareDatabaseFiles, prepareFolder } from "./folder-files.ts";
import { FolderLock } from "./folder-lock.ts";
import {
  type LmdbDatabase,
  openEnvironment,
  putString,
  registerReader,
  sharedDatabase,
} from "./lmdb-environment.ts";
import { type FolderAccess, type KeyRange, type Storage, StorageFault, type StorageKey } from "./storage.ts";
import { type Changes, UndoLog, type UndoPoint } from "./undo-log.ts";

export interface FolderStorageOptions {
  /** Flush every commit to the disk before it returns; see `StorageChoice`. @default true */
  readonly durable?: boolean;
}

/**
 * A storage in one folder, on LMDB. The folder has one owner at a time.
 *
 * Each commit is one `transactionSync`: the engine groups all writes of a turn of the event loop into it. It is on
 * the disk before it is visible, and a failure throws right here instead of becoming a rejection elsewhere. The price
 * is that the event loop waits for the flush, about 0.2 ms on an SSD, shared by all writes of the turn.
 */
export class FolderStorage implements Storage {
  readonly path: string;
  readonly #durable: boolean;
  readonly #undo = new UndoLog();
  #database: LmdbDatabase;
  /** Set while LMDB is closed after a disk failure and could not be reopened. */
  #isBroken = false;
  readonly #lock: FolderLock;

  private constructor(path: string, durable: boolean, database: LmdbDatabase) {
    this.path = path;
    this.#durable = durable;
    this.#database = database;
    this.#lock = FolderLock.acquire(
      path,
      sharedDatabase(() => this.#openDatabase()),
    );
  }

  /** Opens a folder, or creates one. Throws if another process has it open. */
  static async open(given: string, options: FolderStorageOptions = {}): Promise<FolderStorage> {
    // Must not depend on the working directory of later calls.
    const path = resolve(given);
    const durable = options.durable ?? true;
    prepareFolder(path);
    checkFormat(path);
    await waitForCreation(path);
    // No await from here on: of two openings in this process the second must find the record of the first.
    FolderLock.rejectIfOwned(path);
    prepareDatabaseFiles(path);
    checkDatabaseFile(path);
    const database = openDatabase(path, durable);
    try {
      return new FolderStorage(path, durable, database);
    } catch (error) {
      await database.close();
      throw diskError(error, path) ?? error;
    }
  }

  /** Publishes where this folder's engine can be reached. */
  announce(endpoint: string | undefined, access?: FolderAccess): void {
    this.#lock.announce(endpoint, access);
  }

  get(key: StorageKey): string | undefined {
    return this.#openDatabase().get(key);
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    if (range.start >= range.end) return;
    // In reverse, LMDB begins at `start` itself and stops above `end`.
    const bounds = range.reverse
      ? { start: range.end, end: range.start, reverse: true, exclusiveStart: true, inclusiveEnd: true }
      : { start: range.start, end: range.end };
    for (const { key, value } of this.#openDatabase().getRange({ ...bounds, snapshot: false })) {
      if (!visit(key as StorageKey, value)) return;
    }
  }

  commit(writes: Changes): void {
    const database = this.#openDatabase();
    if (this.#undo.active) this.#undo.record(writes, (key) => this.get(key));
    try {
      database.transactionSync(() => {
        for (const [key, value] of writes) {
          if (value === undefined) database.removeSync(key);
          else putString(database, key, value);
        }
      });
    } catch (error) {
      throw this.#faultOf(error, writes);
    }
  }

  checkpoint(): UndoPoint {
    return this.#undo.mark();
  }

  restore(point: UndoPoint): void {
    this.commit(this.#undo.changesBackTo(point));
    this.#undo.afterRestore(point);
  }

  async close(): Promise<void> {
    try {
      this.#lock.release();
    } finally {
      await this.#database.close();
    }
  }

  #faultOf(error: unknown, writes: Changes): StorageFault {
    this.#recover();
    const text = messageOf(error);
    if (!this.#isBroken && isDiskFull(error, this.path, totalLength(writes)) && !this.#isApplied(writes)) {
      return new StorageFault("full", "disk full", error);
    }
    return new StorageFault("failed", `disk error: ${text}`, error);
  }

  /**
   * A commit that fails before LMDB's last write, that of its meta page, changes nothing. If that write fails, LMDB
   * rejects all further reads and writes, and has to be reopened.
   */
  #recover(): void {
    try {
      // A read in the existing snapshot would not notice the failure.
      this.#database.resetReadTxn();
      this.#database.get("\0");
    } catch {
      // An error on closing does not matter, as long as it can be reopened.
      this.#database.close().catch(() => undefined);
      this.#isBroken = true;
      try {
        this.#openDatabase();
      } catch {
        // The next read or write tries again.
      }
    }
  }

  /** Returns LMDB, reopened if necessary. Throws a fault for as long as that fails. */
  #openDatabase(): LmdbDatabase {
    if (!this.#isBroken) return this.#database;
    try {
      // LMDB would create an empty database in place of a missing one, and end the process over a damaged one.
      if (databaseFileState(this.path) !== "database") throw new Error("data.mdb is damaged");
      this.#database = openEnvironment(this.path, this.#durable);
      registerReader(this.#database)();
    } catch (error) {
      throw new StorageFault("failed", `folder cannot be reopened: ${messageOf(error)}`, error);
    }
    this.#isBroken = false;
    return this.#database;
  }

  /** A commit is applied entirely or not at all: one key without its new value proves that it was not. */
  #isApplied(writes: Changes): boolean {
    for (const [key, value] of writes) if (this.get(key) !== value) return false;
    return true;
  }
}

function openDatabase(path: string, durable: boolean): LmdbDatabase {
  try {
    return openEnvironment(path, durable);
  } catch (error) {
    throw diskError(error, path) ?? error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function totalLength(writes: Changes): number {
  let bytes = 0;
  for (const [key, value] of writes) bytes += key.length + (value?.length ?? 0);
  return bytes;
}
