import { resolve } from "node:path";
import { checkDatabaseFile, contentOf, letOthersFinish } from "./database-file.ts";
import { diskError, isDiskFull } from "./disk-error.ts";
import { checkFormat, prepareDatabaseFiles, prepareFolder } from "./folder-files.ts";
import { FolderLock } from "./folder-lock.ts";
import {
  type LmdbDatabase,
  openEnvironment,
  putText,
  sharedDatabase,
  showPresence,
} from "./lmdb-environment.ts";
import { type FolderAccess, type KeyRange, type Storage, StorageFault, type StorageKey } from "./storage.ts";
import { type Changes, UndoLog, type UndoPoint } from "./undo-log.ts";

export interface FolderStorageOptions {
  /** Flush every commit to the disk before it returns; see `StorageChoice`. @default true */
  readonly durable?: boolean | undefined;
}

/**
 * A storage in one folder, on LMDB. The folder has one owner at a time.
 *
 * Each commit is one `transactionSync`: the engine groups all writers of a turn into it, it is on the disk before it
 * is visible, and a failed one throws right here instead of becoming a rejection elsewhere. The price is that the
 * event loop waits for the disk's flush, about 0.2 ms on an SSD, shared by all writers of the turn.
 */
export class FolderStorage implements Storage {
  readonly path: string;
  readonly #durable: boolean;
  readonly #undo = new UndoLog();
  #database: LmdbDatabase;
  /** Set while LMDB is closed because the disk failed, and could not be opened again. */
  #isBroken = false;
  readonly #lock: FolderLock;

  private constructor(path: string, durable: boolean, database: LmdbDatabase) {
    this.path = path;
    this.#durable = durable;
    this.#database = database;
    this.#lock = FolderLock.acquire(
      path,
      sharedDatabase(() => this.#working()),
    );
  }

  /** Opens a folder, or makes one. Throws if another has it open. */
  static async open(given: string, options: FolderStorageOptions = {}): Promise<FolderStorage> {
    // What is done here later must not depend on where the process stands then.
    const path = resolve(given);
    const durable = options.durable ?? true;
    prepareFolder(path);
    checkFormat(path);
    await letOthersFinish(path);
    // From here on nothing is waited for: of two openings in this process the second finds the first one's record.
    FolderLock.refuseIfOwned(path);
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

  /** Tells other processes where this folder's engine can be reached. */
  announce(endpoint: string | undefined, access?: FolderAccess): void {
    this.#lock.announce(endpoint, access);
  }

  get(key: StorageKey): string | undefined {
    return this.#working().get(key);
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    if (range.start >= range.end) return;
    // In reverse LMDB begins at `start` itself and stops above `end`.
    const bounds = range.reverse
      ? { start: range.end, end: range.start, reverse: true, exclusiveStart: true, inclusiveEnd: true }
      : { start: range.start, end: range.end };
    for (const { key, value } of this.#working().getRange({ ...bounds, snapshot: false })) {
      if (!visit(key as StorageKey, value)) return;
    }
  }

  commit(writes: Changes): void {
    const database = this.#working();
    if (this.#undo.active) this.#undo.record(writes, (key) => this.get(key));
    try {
      database.transactionSync(() => {
        for (const [key, value] of writes) {
          if (value === undefined) database.removeSync(key);
          else putText(database, key, value);
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
    this.#undo.wentBackTo(point);
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
    const text = textOf(error);
    if (!this.#isBroken && isDiskFull(error, this.path, bytesOf(writes)) && !this.#isApplied(writes)) {
      return new StorageFault("full", "the disk is full", error);
    }
    return new StorageFault("failed", `the disk reported an error: ${text}`, error);
  }

  /**
   * A commit that fails before LMDB's last write, that of its meta page, leaves everything as it was. When that one
   * fails LMDB refuses all reads and writes from then on, and has to be opened again.
   */
  #recover(): void {
    try {
      // A read that goes on in the transaction of the one before it would be none the wiser.
      this.#database.resetReadTxn();
      this.#database.get("\0");
    } catch {
      // Whether it can be closed does not matter: what counts is that it can be opened again.
      this.#database.close().catch(() => undefined);
      this.#isBroken = true;
      try {
        this.#working();
      } catch {
        // The next one who reads or writes tries again.
      }
    }
  }

  /** LMDB, opened again if it has to be. Throws a fault as long as that fails. */
  #working(): LmdbDatabase {
    if (!this.#isBroken) return this.#database;
    try {
      // LMDB would make an empty one of one that is gone, and end the process over one that is damaged.
      if (contentOf(this.path) !== "database") throw new Error("data.mdb is damaged");
      this.#database = openEnvironment(this.path, this.#durable);
      showPresence(this.#database)();
    } catch (error) {
      throw new StorageFault("failed", `the folder cannot be opened again: ${textOf(error)}`, error);
    }
    this.#isBroken = false;
    return this.#database;
  }

  /** A commit is there whole or not at all: one key without its new value is proof that it is not. */
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

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function bytesOf(writes: Changes): number {
  let bytes = 0;
  for (const [key, value] of writes) bytes += key.length + (value?.length ?? 0);
  return bytes;
}
