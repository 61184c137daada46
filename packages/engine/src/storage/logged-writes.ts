import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { folderDamaged } from "./folder-files.ts";
import { RecentWrites } from "./recent-writes.ts";
import { joinEntries } from "./series.ts";
import type { StorageKey } from "./storage.ts";
import type { Changes } from "./undo-log.ts";
import { type LogMark, readLog, WriteLog } from "./write-log.ts";

/** The entry of the database that says which commits of the log it contains. It sorts after every key of the engine. */
const markKey: StorageKey = "\xff".repeat(8);

/** What the log needs from the database. */
interface MarkedDatabase {
  get(key: StorageKey): string | undefined;
  /** True while it cannot be read. The folder may then have another owner, whose log it is. */
  readonly isBroken: boolean;
}

/** Larger logs save little, and moving their commits would stop the event loop for more than a few milliseconds. */
const defaultMaxBytes = 1024 * 1024;

/**
 * The commits that are on the disk in a log, but not in the database yet. Their changes are also in memory, for reads.
 *
 * One transaction moves all of them to the database, together with a mark: {@link toMove}, then {@link moved}. A crash
 * before its end leaves them in the log, and one after it leaves records that the mark makes obsolete.
 */
export class LoggedWrites {
  readonly recent: RecentWrites = new RecentWrites();
  readonly #log: WriteLog;
  readonly #maxBytes: number;
  readonly #database: MarkedDatabase;
  /** The mark of the transaction that began last. */
  #offered: LogMark | undefined;

  /** Reads what the previous owner of a folder left. */
  constructor(path: string, database: MarkedDatabase, maxBytes: number = defaultMaxBytes) {
    this.#database = database;
    const file = join(path, "writes.log");
    const mark = parseMark(database.get(markKey));
    const found = readLog(file, mark);
    if (found !== undefined && mark !== undefined && found.id !== mark.id)
      throw folderDamaged(path, new Error("writes.log belongs to another data.mdb"));
    const missing = found?.commits.filter(({ number }) => number > (mark?.number ?? 0)) ?? [];
    if (found !== undefined && missing[0] !== undefined) {
      if (missing[0].number !== (mark?.number ?? 0) + 1)
        throw folderDamaged(path, new Error("writes.log does not continue data.mdb"));
      for (const { changes } of missing) this.recent.add(changes);
    }
    const id = mark?.id ?? found?.id ?? randomBytes(4).toString("hex");
    const number = missing.at(-1)?.number ?? mark?.number ?? 0;
    const end = missing.length === 0 ? 0 : (found?.bytes ?? 0);
    this.#log = new WriteLog(file, maxBytes, { id, number }, end);
    this.#maxBytes = maxBytes;
  }

  /** True if the log is so full that its commits should be moved to the database. */
  get isDue(): boolean {
    return 2 * this.#log.bytes >= this.#maxBytes;
  }

  /**
   * Adds a commit to the log. Returns false if it must be committed to the database, with {@link toMove}: it does not fit, or
   * the log cannot be written.
   */
  commit(changes: Changes): boolean {
    try {
      if (!this.#log.append(changes)) return false;
    } catch {
      // The database reports what is wrong with the disk, if it cannot be written either.
      return false;
    }
    this.recent.add(changes);
    return true;
  }

  /** True if the database lacks commits, or has to make a record obsolete. */
  get isBehind(): boolean {
    return this.recent.size > 0 || this.#log.hasDoubt;
  }

  /**
   * Returns what a transaction has to write: all that the database lacks, and then `changes`. With `joins`, new entries of a series are
   * joined; without it, each can be deleted again.
   */
  toMove(changes: Changes, joins: boolean): Changes {
    if (!this.isBehind) return changes;
    this.#offered = this.#log.mark;
    const { recent } = this;
    const all = new Map(
      joins && recent.hasNewSeriesOnly(changes) ? joinEntries(recent.changes) : recent.changes,
    );
    for (const [key, value] of changes) all.set(key, value);
    return all.set(markKey, formatMark(this.#offered));
  }

  /** Call it after that transaction. */
  moved(): void {
    if (this.#offered === undefined) return;
    this.recent.clear();
    this.#log.restart(this.#offered.number);
    this.#offered = undefined;
  }

  /** Call it after a failed transaction, once the database can be read: it may have taken effect. */
  settle(): void {
    if (this.#offered !== undefined && this.#database.get(markKey) === formatMark(this.#offered))
      this.moved();
    this.#offered = undefined;
  }

  /** Call it instead if the transaction failed. Ensures that a commit which failed is not in the log; returns false if it may be. */
  withdraw(): boolean {
    if (this.#database.isBroken) return false;
    try {
      this.settle();
      if (this.#log.hasDoubt) this.#log.withdraw();
      return true;
    } catch {
      return false;
    }
  }

  /** Closes the file, and removes it if the database contains everything. If that fails, it does no harm: its commits are flushed, or obsolete. */
  close(): void {
    try {
      if (this.isBehind || this.#database.isBroken) this.#log.close();
      else this.#log.remove();
    } catch {
      // Nothing depends on it.
    }
  }
}

function formatMark({ id, number }: LogMark): string {
  return `${id} ${number}`;
}

function parseMark(text: string | undefined): LogMark | undefined {
  if (text === undefined) return undefined;
  const [id = "", number] = text.split(" ");
  return { id, number: Number(number) };
}
