import { resolve } from "node:path";
import { systemClock } from "@tablekeep/core";
import { checkDatabaseFile, databaseFileState, waitForCreation } from "./database-file.ts";
import { isDiskFull } from "./disk-error.ts";
import { FlushPace } from "./flush-pace.ts";
import {
  checkFormat,
  databaseFileIdentity,
  folderUnusable,
  openingError,
  prepareDatabaseFiles,
  prepareFolder,
} from "./folder-files.ts";
import { FolderLock } from "./folder-lock.ts";
import {
  BackgroundCommits,
  closeAtOnce,
  type LmdbDatabase,
  type LmdbSnapshot,
  openEnvironment,
  putString,
  sharedDatabase,
} from "./lmdb-environment.ts";
import { MappedMemory } from "./mapped-memory.ts";
import {
  type FolderAccess,
  type FolderListener,
  type KeyRange,
  type Storage,
  StorageFault,
  type StorageKey,
} from "./storage.ts";
import { type Changes, UndoLog, type UndoPoint } from "./undo-log.ts";

export interface FolderStorageOptions {
  /** Flush every commit to the disk before it returns; see `StorageChoice`. @default true */
  readonly durable?: boolean;
  /** See `MappedMemory`. */
  readonly maxMappedBytes?: number;
  /** From this time of a commit on, commits do not wait on the event loop; see `FlushPace`. */
  readonly slowFlushMs?: number;
}

/** What an entry may take in a commit on a fast disk, in milliseconds: a large commit does not make a disk slow. */
const entryMs = 0.02;

/** How often a folder is opened again because its file was replaced meanwhile. */
const maxAttempts = 3;

/**
 * A storage in one folder, on LMDB. The folder has one owner at a time.
 *
 * Each commit is one transaction of LMDB: the engine groups all writes of a turn of the event loop into it. It is on
 * the disk before it is visible. On a fast disk the event loop waits for the flush, about 0.2 ms on an SSD; on a slow
 * one a thread of LMDB does.
 */
export class FolderStorage implements Storage {
  readonly path: string;
  readonly #durable: boolean;
  readonly #undo = new UndoLog();
  #database: LmdbDatabase;
  /** Set while LMDB is closed after a disk failure and could not be reopened. */
  #isBroken = false;
  readonly #lock: FolderLock;
  readonly #mapped: MappedMemory;
  readonly #pace: FlushPace;
  readonly #background = new BackgroundCommits();
  /** What reads see while a commit is in flight: the state before it. */
  #pinned: LmdbSnapshot | undefined;
  /** Copies in progress: LMDB must stay open. */
  #copies = 0;

  private constructor(path: string, options: FolderStorageOptions, database: LmdbDatabase) {
    this.path = path;
    this.#durable = options.durable ?? true;
    this.#mapped = new MappedMemory(() => this.#mapAgain(), options.maxMappedBytes);
    this.#pace = new FlushPace(options.slowFlushMs);
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
    prepareFolder(path);
    checkFormat(path);
    await waitForCreation(path);
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const storage = await FolderStorage.#openOnce(path, options);
      if (storage !== undefined) return storage;
    }
    throw folderUnusable(path, new Error("data.mdb keeps being replaced"));
  }

  /** Returns undefined if another process has replaced the file between opening it and acquiring the folder. */
  static async #openOnce(path: string, options: FolderStorageOptions): Promise<FolderStorage | undefined> {
    // No await before the folder is acquired: of two openings in this process the second must find the record of the first.
    FolderLock.rejectIfOwned(path);
    prepareDatabaseFiles(path);
    checkDatabaseFile(path);
    const identity = databaseFileIdentity(path);
    const database = openDatabase(path, options.durable ?? true);
    let storage: FolderStorage;
    try {
      storage = new FolderStorage(path, options, database);
    } catch (error) {
      await database.close();
      throw openingError(error, path);
    }
    if (databaseFileIdentity(path) === identity) return storage;
    await storage.close();
    return undefined;
  }

  /** Publishes where this folder's engine can be reached. */
  announce(
    endpoint: string | undefined,
    access?: FolderAccess,
    listeners: readonly FolderListener[] = [],
  ): void {
    this.#lock.announce(endpoint, access, listeners);
  }

  get(key: StorageKey): string | undefined {
    this.#mapped.count(1);
    const database = this.#openDatabase();
    return this.#pinned === undefined ? database.get(key) : database.get(key, { transaction: this.#pinned });
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    if (range.start >= range.end) return;
    // In reverse, LMDB begins at `start` itself and stops above `end`.
    const bounds = range.reverse
      ? { start: range.end, end: range.start, reverse: true, exclusiveStart: true, inclusiveEnd: true }
      : { start: range.start, end: range.end };
    let visited = 0;
    const view = this.#pinned === undefined ? { snapshot: false } : { transaction: this.#pinned };
    for (const { key, value } of this.#openDatabase().getRange({ ...bounds, ...view })) {
      visited++;
      if (!visit(key as StorageKey, value)) break;
    }
    this.#mapped.count(visited + 1);
  }

  commit(writes: Changes): void {
    const database = this.#prepare(writes);
    const start = systemClock.monotonic();
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
    this.#pace.addInline(systemClock.monotonic() - start - writes.size * entryMs);
    this.#mapped.count(writes.size);
  }

  commitInBackground(writes: Changes, ended: (fault?: unknown) => void): boolean {
    if (!this.#durable || !this.#pace.isSlow) return false;
    const database = this.#prepare(writes);
    const start = systemClock.monotonic();
    this.#pinned = database.useReadTransaction();
    this.#background.run(database, writes).then(
      () => {
        this.#unpin(database);
        this.#pace.addInBackground(systemClock.monotonic() - start - writes.size * entryMs);
        this.#mapped.count(writes.size);
        this.#mapped.mapIfDue();
        ended();
      },
      (error) => {
        this.#unpin(database);
        this.#pace.addFailure();
        ended(this.#faultOf(error, writes));
      },
    );
    return true;
  }

  /** Returns the database, ready for a commit. */
  #prepare(writes: Changes): LmdbDatabase {
    if (this.#undo.active) this.#undo.record(writes, (key) => this.get(key));
    return this.#openDatabase();
  }

  /** Lets reads see the current state again. */
  #unpin(database: LmdbDatabase): void {
    const pinned = this.#pinned;
    this.#pinned = undefined;
    try {
      // A new entry in the list of readers, which shows other processes that the folder is open, before the old one ends.
      database.resetReadTxn();
      database.get("\0");
    } catch {
      // After a failed commit LMDB may reject all reads; it is reopened.
    }
    pinned?.done();
  }

  checkpoint(): UndoPoint {
    return this.#undo.mark();
  }

  restore(point: UndoPoint): void {
    this.commit(this.#undo.changesBackTo(point));
    this.#undo.afterRestore(point);
  }

  async close(): Promise<void> {
    this.#mapped.close();
    try {
      this.#lock.release();
    } finally {
      await this.#database.close();
    }
  }

  /** Copies the data, without free pages, to a new file in another folder. */
  async copyTo(folder: string): Promise<void> {
    this.#copies++;
    try {
      await this.#openDatabase().backup(folder, true);
    } finally {
      this.#copies--;
    }
  }

  /** Runs `work` while no other process can acquire the folder. */
  runExclusively(work: () => void): void {
    this.#openDatabase().transactionSync(work);
  }

  /** Releases the pages of the file that are mapped: opens LMDB again. */
  #mapAgain(): boolean {
    if (this.#copies > 0 || this.#pinned !== undefined || this.#isBroken) return false;
    this.#reopen();
    return true;
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
      this.#reopen();
    }
  }

  #reopen(): void {
    closeAtOnce(this.#database);
    this.#isBroken = true;
    try {
      this.#openDatabase();
    } catch {
      // The next read or write tries again.
    }
  }

  /** Returns LMDB, reopened if necessary. Throws a fault for as long as that fails. */
  #openDatabase(): LmdbDatabase {
    if (!this.#isBroken) return this.#database;
    try {
      // LMDB would create an empty database in place of a missing one, and end the process over a damaged one.
      if (databaseFileState(this.path) !== "database") throw new Error("data.mdb is damaged");
      this.#database = openEnvironment(this.path, this.#durable);
      this.#lock.confirm(sharedDatabase(() => this.#database));
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
    throw openingError(error, path);
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
