import { resolve } from "node:path";
import { systemClock } from "@tablekeep/core";
import { waitForCreation } from "./database-file.ts";
import { isDiskFull } from "./disk-error.ts";
import { FlushPace } from "./flush-pace.ts";
import { prepareFolder, prepareFormat, upgradeFormat } from "./folder-files.ts";
import { LoggedWrites } from "./logged-writes.ts";
import { MoveSchedule } from "./move-schedule.ts";
import { type DatabaseOptions, OwnedDatabase } from "./owned-database.ts";
import {
  type FolderAccess,
  type FolderListener,
  type KeyRange,
  type Storage,
  StorageFault,
  type StorageKey,
} from "./storage.ts";
import { type Changes, UndoLog, type UndoPoint } from "./undo-log.ts";

export interface FolderStorageOptions extends DatabaseOptions {
  /** From this time of a commit on, commits do not wait on the event loop; see `FlushPace`. */
  readonly slowFlushMs?: number;
  /** The length of the log in front of the database; 0 for none. See `LoggedWrites`. */
  readonly maxLogBytes?: number;
}

/** What an entry may take in a commit on a fast disk, in milliseconds: a large commit does not make a disk slow. */
const entryMs = 0.02;

/**
 * A storage in one folder: LMDB, and a log in front of it. The folder has one owner at a time.
 *
 * The engine groups all writes of a turn of the event loop into one commit, which is on the disk before it is visible. On a fast
 * disk it is added to the log, and the event loop waits for that flush, about 0.2 ms on an SSD; now and then one transaction moves
 * all commits of the log to LMDB. On a slow disk a thread of LMDB performs each commit, and the event loop does not wait. Without
 * `durable`, and if it is too long for the log, a commit is a transaction on the event loop.
 */
export class FolderStorage implements Storage {
  readonly path: string;
  readonly #durable: boolean;
  readonly #database: OwnedDatabase;
  readonly #logged: LoggedWrites;
  readonly #moves = new MoveSchedule(() => this.#moveIfFast());
  readonly #pace: FlushPace;
  readonly #undo = new UndoLog();
  #isClosed = false;

  private constructor(path: string, options: FolderStorageOptions, database: OwnedDatabase) {
    this.path = path;
    this.#durable = options.durable ?? true;
    this.#database = database;
    this.#pace = new FlushPace(options.slowFlushMs);
    this.#logged = new LoggedWrites(path, database, this.#durable ? options.maxLogBytes : 0);
    database.onReopened = () => this.#logged.settle();
  }

  /** Opens a folder, or creates one. Throws if another process has it open. */
  static async open(given: string, options: FolderStorageOptions = {}): Promise<FolderStorage> {
    // Must not depend on the working directory of later calls.
    const path = resolve(given);
    prepareFolder(path);
    prepareFormat(path);
    await waitForCreation(path);
    const database = await OwnedDatabase.open(path, options);
    try {
      upgradeFormat(path);
      return new FolderStorage(path, options, database);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Publishes where this folder's engine can be reached. */
  announce(
    endpoint: string | undefined,
    access?: FolderAccess,
    listeners: readonly FolderListener[] = [],
  ): void {
    this.#database.lock.announce(endpoint, access, listeners);
  }

  get(key: StorageKey): string | undefined {
    const { recent } = this.#logged;
    if (recent.size > 0) {
      const value = recent.changes.get(key);
      if (value !== undefined || recent.changes.has(key)) return value;
    }
    return this.#database.get(key);
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    if (range.start >= range.end) return;
    let visited = 0;
    const entries = this.#database.entries(range);
    if (this.#logged.recent.hasIn(range)) {
      this.#logged.recent.scan(range, entries, (key, value) => {
        visited++;
        return visit(key, value);
      });
    } else {
      for (const { key, value } of entries) {
        visited++;
        if (!visit(key as StorageKey, value)) break;
      }
    }
    this.#database.count(visited + 1);
  }

  commit(writes: Changes): void {
    this.#prepare(writes);
    if (writes.size === 0) return;
    const start = systemClock.monotonic();
    let entries = writes.size;
    if (this.#logged.commit(writes)) this.#moves.add(this.#logged.isDue);
    else entries = this.#commitToDatabase(writes);
    this.#pace.addInline(systemClock.monotonic() - start - entries * entryMs);
  }

  commitInBackground(writes: Changes, ended: (fault?: unknown) => void): boolean {
    if (!this.#durable || !this.#pace.isSlow) return false;
    this.#prepare(writes);
    const start = systemClock.monotonic();
    const all = this.#toMove(writes);
    this.#database
      .writeInBackground(all, () => this.#logged.moved())
      .then(
        () => {
          this.#pace.addInBackground(systemClock.monotonic() - start - all.size * entryMs);
          ended();
        },
        (error) => {
          this.#pace.addFailure();
          ended(this.#faultOf(error, all));
        },
      );
    return true;
  }

  /** Call it before each commit. Throws if LMDB cannot be reopened. */
  #prepare(writes: Changes): void {
    if (this.#undo.active) this.#undo.record(writes, (key) => this.get(key));
    this.#database.checkOpen();
  }

  /** A checkpoint is restored entry by entry. */
  #toMove(writes: Changes): Changes {
    return this.#logged.toMove(writes, !this.#undo.active);
  }

  /** Commits to the database, with everything that it lacks. Returns the number of entries written. */
  #commitToDatabase(writes: Changes): number {
    const all = this.#toMove(writes);
    try {
      this.#database.write(all);
    } catch (error) {
      throw this.#faultOf(error, all);
    }
    this.#logged.moved();
    return all.size;
  }

  /** Moves the commits of the log to the database. If that fails, they stay in the log. */
  #move(): void {
    if (!this.#logged.isBehind) return;
    try {
      this.#commitToDatabase(new Map());
    } catch {
      // Once the log is full, commits report it.
    }
  }

  /** On a slow disk the next commit in the background moves them. */
  #moveIfFast(): void {
    if (!this.#isClosed && !this.#database.isBusy && !this.#pace.isSlow) this.#move();
  }

  checkpoint(): UndoPoint {
    return this.#undo.mark();
  }

  restore(point: UndoPoint): void {
    this.commit(this.#undo.changesBackTo(point));
    this.#undo.afterRestore(point);
  }

  async close(): Promise<void> {
    this.#moves.close();
    this.#move();
    this.#isClosed = true;
    this.#logged.close();
    await this.#database.close();
  }

  /** Copies the data, without free pages, to a new file in another folder. */
  async copyTo(folder: string): Promise<void> {
    if (this.#logged.isBehind) this.#commitToDatabase(new Map());
    await this.#database.copyTo(folder);
  }

  /** Runs `work` while no other process can acquire the folder. */
  runExclusively(work: () => void): void {
    this.#database.runExclusively(work);
  }

  #faultOf(error: unknown, all: Changes): StorageFault {
    this.#database.recover();
    const isFull = isDiskFull(error, this.path, totalLength(all)) && !this.#mayBeApplied(all);
    // A commit that neither the log nor the database has accepted must not appear after a restart.
    if (this.#logged.withdraw() && isFull) return new StorageFault("full", "disk full", error);
    const reason = error instanceof Error ? error.message : String(error);
    return new StorageFault("failed", `disk error: ${reason}`, error);
  }

  /** A transaction is applied entirely or not at all: one key without its new value proves that it was not. */
  #mayBeApplied(all: Changes): boolean {
    if (this.#database.isBroken) return true;
    for (const [key, value] of all) if (this.#database.get(key) !== value) return false;
    return true;
  }
}

function totalLength(writes: Changes): number {
  let bytes = 0;
  for (const [key, value] of writes) bytes += key.length + (value?.length ?? 0);
  return bytes;
}
