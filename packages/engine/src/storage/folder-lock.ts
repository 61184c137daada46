import { randomUUID } from "node:crypto";
import { EngineError } from "../engine-error.ts";
import {
  livenessOf,
  type OwnerRecord,
  readOwnerRecord,
  removeOwnerRecord,
  takeOwnerRecord,
  thisProcess,
  writeOwnerRecord,
} from "./folder-owner.ts";
import type { FolderAccess } from "./storage.ts";

/** What the lock needs of the database in the folder. */
export interface SharedDatabase {
  /** Runs `work` while no other process, thread or opening is in here. The system ends the claim of one that died. */
  exclusively<Result>(work: () => Result): Result;
  /**
   * Makes this opening visible to {@link usedByOthers} for as long as it is open. Called within {@link exclusively};
   * what comes back is called right after it.
   */
  showPresence(): () => void;
  /** Whether another opening that has shown its presence is alive, in whichever container of this machine. */
  usedByOthers(): boolean;
}

/**
 * The right to a folder. Its sign is `owner.json`, which is only ever judged and replaced inside the database's writer
 * lock: of two takers the second finds the first one's record. The writer lock belongs to the system and ends with the
 * process that holds it, so that nothing is left behind at whatever point a taker dies.
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
   * Refuses a folder whose owner is seen to be alive. Only spares the opening of the database: a frozen owner would
   * let its writer lock wait for ever. What counts is {@link acquire}.
   */
  static refuseIfOwned(path: string): void {
    const record = readOwnerRecord(path);
    if (record !== undefined && livenessOf(record) === "alive") throw locked(path, record);
  }

  /** Takes the folder, from nobody or from an owner that is gone. */
  static acquire(path: string, database: SharedDatabase): FolderLock {
    const record: OwnerRecord = { ...thisProcess(), token: randomUUID() };
    const settle = database.exclusively(() => {
      const owner = readOwnerRecord(path);
      const liveness = owner === undefined ? "dead" : livenessOf(owner);
      if (
        owner !== undefined &&
        (liveness === "alive" || (liveness === "unknown" && database.usedByOthers()))
      ) {
        throw locked(path, owner);
      }
      const settlePresence = database.showPresence();
      takeOwnerRecord(path, record);
      return settlePresence;
    });
    settle();
    return new FolderLock(path, database, record);
  }

  /** Tells where this process can be reached; undefined once it no longer can. */
  announce(endpoint: string | undefined, access: FolderAccess | undefined): void {
    const { endpoint: _former, access: _formerAccess, ...rest } = this.#record;
    const record = { ...rest, ...(endpoint !== undefined && { endpoint }), ...(access && { access }) };
    writeOwnerRecord(this.#path, record);
    this.#record = record;
  }

  /** Gives the folder up. */
  release(): void {
    const remove = () => {
      if (readOwnerRecord(this.#path)?.token === this.#record.token) removeOwnerRecord(this.#path);
    };
    try {
      this.#database.exclusively(remove);
    } catch {
      // A database that is broken has no lock to give; its folder must not stay taken for that.
      remove();
    }
  }
}

function locked(path: string, { pid, host, endpoint }: OwnerRecord): EngineError {
  const where = endpoint === undefined ? "" : ` and serves it at ${endpoint}`;
  const advice =
    endpoint === undefined ? "close it there, or use another folder" : "connect to that endpoint";
  return new EngineError(
    "ENGINE_FOLDER_LOCKED",
    `process ${pid} on ${host} has the folder ${path} open${where}: ${advice}`,
    { path, pid, host, ...(endpoint !== undefined && { endpoint }) },
  );
}
