import { checkDatabaseFile, databaseFileState } from "./database-file.ts";
import {
  databaseFile,
  databaseFileIdentity,
  flush,
  folderUnusable,
  openingError,
  prepareDatabaseFiles,
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
import { type KeyRange, StorageFault, type StorageKey } from "./storage.ts";
import type { Changes } from "./undo-log.ts";

export interface DatabaseOptions {
  /** Flush every transaction to the disk before it is visible; see `StorageChoice`. @default true */
  readonly durable?: boolean;
  /** See `MappedMemory`. */
  readonly maxMappedBytes?: number;
}

/** How often a folder is opened again because its file was replaced meanwhile. */
const maxAttempts = 3;

/** LMDB's database in a folder, and the ownership of the folder. After a failure of the disk it is opened again. */
export class OwnedDatabase {
  readonly #path: string;
  readonly #durable: boolean;
  #lmdb: LmdbDatabase;
  /** Set while LMDB is closed after a disk failure and could not be reopened. */
  #isBroken = false;
  readonly lock: FolderLock;
  /** Called after LMDB was reopened, before anything is read. */
  onReopened: () => void = () => undefined;
  readonly #mapped: MappedMemory;
  readonly #background = new BackgroundCommits();
  /** What reads see while a transaction is in flight: the state before it. */
  #pinned: LmdbSnapshot | undefined;
  /** Copies in progress: LMDB must stay open. */
  #copies = 0;

  private constructor(path: string, options: DatabaseOptions, lmdb: LmdbDatabase) {
    this.#path = path;
    this.#durable = options.durable ?? true;
    this.#mapped = new MappedMemory(() => this.#mapAgain(), options.maxMappedBytes);
    this.#lmdb = lmdb;
    this.lock = FolderLock.acquire(
      path,
      sharedDatabase(() => this.#open()),
    );
  }

  /** Opens the database of a folder, or creates one. Throws if another process has the folder open. */
  static async open(path: string, options: DatabaseOptions): Promise<OwnedDatabase> {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const database = await OwnedDatabase.#openOnce(path, options);
      if (database !== undefined) return database;
    }
    throw folderUnusable(path, new Error("data.mdb keeps being replaced"));
  }

  /** Returns undefined if another process has replaced the file between opening it and acquiring the folder. */
  static async #openOnce(path: string, options: DatabaseOptions): Promise<OwnedDatabase | undefined> {
    // No await before the folder is acquired: of two openings in this process the second must find the record of the first.
    FolderLock.rejectIfOwned(path);
    prepareDatabaseFiles(path);
    checkDatabaseFile(path);
    const isNew = databaseFileState(path) === "nothing";
    const identity = databaseFileIdentity(path);
    const lmdb = openLmdb(path, options.durable ?? true);
    let database: OwnedDatabase;
    try {
      // Commits in the log must not depend on a file that a power failure can remove.
      if (isNew && options.durable !== false) flush(databaseFile(path));
      database = new OwnedDatabase(path, options, lmdb);
    } catch (error) {
      await lmdb.close();
      throw openingError(error, path);
    }
    if (databaseFileIdentity(path) === identity) return database;
    await database.close();
    return undefined;
  }

  /** True while LMDB cannot be reopened. The folder may then have another owner. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** True while a transaction is in flight. */
  get isBusy(): boolean {
    return this.#pinned !== undefined;
  }

  get(key: StorageKey): string | undefined {
    this.#mapped.count(1);
    const lmdb = this.#open();
    return this.#pinned === undefined ? lmdb.get(key) : lmdb.get(key, { transaction: this.#pinned });
  }

  /** Returns the entries of a range, to be read before the event loop continues. */
  entries(range: KeyRange): Iterable<{ key: unknown; value: string }> {
    // In reverse, LMDB begins at `start` itself and stops above `end`.
    const bounds = range.reverse
      ? { start: range.end, end: range.start, reverse: true, exclusiveStart: true, inclusiveEnd: true }
      : { start: range.start, end: range.end };
    const view = this.#pinned === undefined ? { snapshot: false } : { transaction: this.#pinned };
    return this.#open().getRange({ ...bounds, ...view });
  }

  /** Counts entries that were read; see `MappedMemory`. */
  count(entries: number): void {
    this.#mapped.count(entries);
  }

  /** Throws if LMDB cannot be reopened. */
  checkOpen(): void {
    this.#open();
  }

  /** Writes all changes in one transaction. Throws LMDB's error. */
  write(changes: Changes): void {
    const lmdb = this.#open();
    lmdb.transactionSync(() => {
      for (const [key, value] of changes) {
        if (value === undefined) lmdb.removeSync(key);
        else putString(lmdb, key, value);
      }
    });
    this.#mapped.count(changes.size);
  }

  /**
   * Like {@link write}, in a thread. Until it has ended, reads show the former state, and nothing else may be written. `visible` is called
   * before anything can read the new state.
   */
  async writeInBackground(changes: Changes, visible: () => void): Promise<void> {
    const lmdb = this.#open();
    this.#pinned = lmdb.useReadTransaction();
    try {
      await this.#background.run(lmdb, changes);
    } catch (error) {
      this.#unpin(lmdb);
      throw error;
    }
    this.#unpin(lmdb);
    visible();
    this.#mapped.count(changes.size);
    this.#mapped.mapIfDue();
  }

  /** Lets reads see the current state again. */
  #unpin(lmdb: LmdbDatabase): void {
    const pinned = this.#pinned;
    this.#pinned = undefined;
    try {
      // A new entry in the list of readers, which shows other processes that the folder is open, before the old one ends.
      lmdb.resetReadTxn();
      lmdb.get("\0");
    } catch {
      // After a failed commit LMDB may reject all reads; it is reopened.
    }
    pinned?.done();
  }

  async close(): Promise<void> {
    this.#mapped.close();
    try {
      this.lock.release();
    } finally {
      // A broken one is closed already.
      if (!this.#isBroken) await this.#lmdb.close();
    }
  }

  /** Copies the data, without free pages, to a new file in another folder. */
  async copyTo(folder: string): Promise<void> {
    this.#copies++;
    try {
      await this.#open().backup(folder, true);
    } finally {
      this.#copies--;
    }
  }

  /** Runs `work` while no other process can acquire the folder. */
  runExclusively(work: () => void): void {
    this.#open().transactionSync(work);
  }

  /** Releases the pages of the file that are mapped: opens LMDB again. */
  #mapAgain(): boolean {
    if (this.#copies > 0 || this.#pinned !== undefined || this.#isBroken) return false;
    this.#reopen();
    return true;
  }

  /**
   * Call it after a failed transaction. One that fails before LMDB's last write, that of its meta page, changes nothing. If that
   * write fails, LMDB rejects all further reads and writes, and has to be reopened.
   */
  recover(): void {
    try {
      // A read in the existing snapshot would not notice the failure.
      this.#lmdb.resetReadTxn();
      this.#lmdb.get("\0");
    } catch {
      this.#reopen();
    }
  }

  #reopen(): void {
    closeAtOnce(this.#lmdb);
    this.#isBroken = true;
    try {
      this.#open();
    } catch {
      // The next read or write tries again.
    }
  }

  /** Opens LMDB again, if this process still owns the folder. */
  #reopened(): LmdbDatabase {
    const lmdb = openEnvironment(this.#path, this.#durable);
    try {
      this.lock.confirm(sharedDatabase(() => lmdb));
      return lmdb;
    } catch (error) {
      closeAtOnce(lmdb);
      throw error;
    }
  }

  /** Returns LMDB, reopened if necessary. Throws a fault for as long as that fails. */
  #open(): LmdbDatabase {
    if (!this.#isBroken) return this.#lmdb;
    try {
      // LMDB would create an empty database in place of a missing one, and end the process over a damaged one.
      if (databaseFileState(this.#path) !== "database") throw new Error("data.mdb is damaged");
      this.#lmdb = this.#reopened();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new StorageFault("failed", `folder cannot be reopened: ${reason}`, error);
    }
    this.#isBroken = false;
    this.onReopened();
    return this.#lmdb;
  }
}

function openLmdb(path: string, durable: boolean): LmdbDatabase {
  try {
    return openEnvironment(path, durable);
  } catch (error) {
    throw openingError(error, path);
  }
}
