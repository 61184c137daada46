import { randomUUID } from "node:crypto";
import { EngineError } from "../engine-error.ts";
import {
  livenessOf,
  type OwnerRecord,
  readOwnerRecord,
  removeOwnerRecord,
  replaceOwnerRecord,
  thisProcess,
  writeOwnerRecord,
} from "./folder-owner.ts";
import type { FolderAccess, FolderListener } from "./storage.ts";

/** What the lock needs from the database in the folder. */
export interface SharedDatabase {
  /**
   * Runs `work` while no other process, thread or opening does. The system releases the claim of a process that died.
   */
  runExclusively<Result>(work: () => Result): Result;
  /**
   * Makes this opening visible to {@link hasOtherReaders} for as long as it lasts. Call it within {@link
   * runExclusively}, and the function that it returns right afterwards.
   */
  registerReader(): () => void;
  /** Returns whether another registered opening is alive, in any container of this machine. */
  hasOtherReaders(): boolean;
}

/**
 * The ownership of a folder, recorded in `owner.json`. The record is only checked and replaced inside the database's
 * writer lock: of two processes that open the folder, the second finds the record of the first. The system releases
 * the writer lock when its process ends, so nothing is left behind wherever a process dies.
 */
export class FolderLock {
  readonly #path: string;
  readonly #database: SharedDatabase;
  #record: OwnerRecord;

  private constructor(path: string, database: SharedDatabase, record: OwnerRecord) {
    this.#path = path;
    this.#database = database;
    this.#record = record;
  }

  /**
   * Rejects a folder whose owner is visibly alive. It only saves opening the database: a suspended owner would keep
   * others waiting for the writer lock forever. What counts is {@link acquire}.
   */
  static rejectIfOwned(path: string): void {
    const record = readOwnerRecord(path);
    if (record !== undefined && livenessOf(record) === "alive") throw folderLocked(path, record);
  }

  /** Acquires a folder that has no owner, or whose owner is dead. */
  static acquire(path: string, database: SharedDatabase): FolderLock {
    const record: OwnerRecord = { ...thisProcess(), token: randomUUID() };
    const settle = database.runExclusively(() => {
      const owner = readOwnerRecord(path);
      const liveness = owner === undefined ? "dead" : livenessOf(owner);
      if (
        owner !== undefined &&
        (liveness === "alive" || (liveness === "unknown" && database.hasOtherReaders()))
      ) {
        throw folderLocked(path, owner);
      }
      const settlePresence = database.registerReader();
      replaceOwnerRecord(path, record);
      return settlePresence;
    });
    settle();
    return new FolderLock(path, database, record);
  }

  /**
   * Confirms the ownership after the database was closed and opened again. A process that cannot see this one, as in another
   * container, may have acquired the folder meanwhile.
   */
  confirm(database: SharedDatabase): void {
    const settle = database.runExclusively(() => {
      const owner = readOwnerRecord(this.#path);
      if (owner === undefined || owner.token !== this.#record.token)
        throw new Error("another process has acquired the folder");
      return database.registerReader();
    });
    settle();
  }

  /** Publishes where this process can be reached; undefined once it no longer can. */
  announce(
    endpoint: string | undefined,
    access: FolderAccess | undefined,
    listeners: readonly FolderListener[],
  ): void {
    const { endpoint: _former, access: _formerAccess, listeners: _formerListeners, ...rest } = this.#record;
    const record = {
      ...rest,
      ...(endpoint !== undefined && { endpoint }),
      ...(access && { access }),
      ...(listeners.length > 0 && { listeners }),
    };
    writeOwnerRecord(this.#path, record);
    this.#record = record;
  }

  /** Releases the folder. */
  release(): void {
    const remove = () => {
      if (readOwnerRecord(this.#path)?.token === this.#record.token) removeOwnerRecord(this.#path);
    };
    try {
      this.#database.runExclusively(remove);
    } catch {
      // A broken database has no lock to offer; its folder must not stay locked because of that.
      remove();
    }
  }
}

function folderLocked(path: string, { pid, host, endpoint }: OwnerRecord): EngineError {
  const where = endpoint === undefined ? "" : `, which serves it at ${endpoint}`;
  const advice =
    endpoint === undefined ? "close it there, or use another folder" : "connect to that endpoint";
  return new EngineError(
    "ENGINE_FOLDER_LOCKED",
    `folder ${path} is open in process ${pid} on ${host}${where}: ${advice}`,
    { path, pid, host, ...(endpoint !== undefined && { endpoint }) },
  );
}
