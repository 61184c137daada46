import { isTablekeepError } from "@tablekeep/core";
import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";

/** A write of the log. */
export interface UndoEntry {
  /** A description of the write, for people. */
  readonly what: string;
  /** The approximate number of bytes that the checkpoint keeps in memory. */
  readonly bytes: number;
  /** Returns to the checkpoint. Throws `CLI_MCP_CHANGED` if the data has changed since the write. */
  undo(io: CommandIo): Promise<object>;
  /** Why the write cannot be undone; `undo` is not called then. */
  readonly final?: string;
}

/** A write that cannot be undone. It is in the log so that an undo without an id does not undo an older write instead. */
export function finalEntry(what: string, final: string): UndoEntry {
  return { what, bytes: 0, undo: () => Promise.reject(new Error(final)), final };
}

/** The number of checkpoints that are kept; older ones are dropped. */
const maxEntries = 100;
const maxBytes = 32 * 1024 * 1024;

/**
 * The writes of one process that can be undone. A checkpoint is added before its write is sent: if the response is lost, the write
 * can still be undone. Kept in memory, within limits.
 */
export class UndoCheckpoints {
  readonly #entries = new Map<string, UndoEntry>();
  readonly #session: string;
  #count = 0;

  /** `session` distinguishes the ids of this log from those of others. */
  constructor(session: string) {
    this.#session = session;
  }

  /** Adds a checkpoint and returns its id. A checkpoint that is too large is not kept, so its write cannot be undone. */
  add(entry: UndoEntry): string {
    const id = `${this.#session}-${++this.#count}`;
    this.#set(id, entry);
    return id;
  }

  /** Replaces a checkpoint with what the write itself returned. */
  replace(id: string, entry: UndoEntry): void {
    if (this.#entries.has(id)) this.#set(id, entry);
  }

  /** Removes the checkpoint of a write that was not applied. */
  remove(id: string): void {
    this.#entries.delete(id);
  }

  /** Whether a write can be undone. */
  has(id: string): boolean {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.final === undefined;
  }

  /** The writes that can be undone, newest first. */
  list(): readonly { readonly id: string; readonly what: string }[] {
    return [...this.#entries]
      .filter(([, { final }]) => final === undefined)
      .map(([id, { what }]) => ({ id, what }))
      .reverse();
  }

  /** Undoes a write, by default the newest. It stays in the log if that fails. */
  async undo(named: string | undefined, io: CommandIo): Promise<object> {
    const id = named ?? [...this.#entries.keys()].at(-1);
    const entry = id === undefined ? undefined : this.#entries.get(id);
    if (id === undefined || entry === undefined)
      throw new CliError(
        "CLI_MCP_NO_UNDO",
        id === undefined
          ? "there is no write to undo in this session"
          : `no write ${JSON.stringify(id)} can be undone: it was undone, dropped, or made by another session`,
      );
    if (entry.final !== undefined)
      throw new CliError(
        "CLI_MCP_NO_UNDO",
        `the write ${id} (${entry.what}) cannot be undone: ${entry.final}. To undo an earlier write, pass its id`,
      );
    // A second call must not undo it at the same time.
    this.#entries.delete(id);
    try {
      return { undone: id, what: entry.what, ...(await entry.undo(io)) };
    } catch (error) {
      this.#putBack(id, entry);
      throw error;
    }
  }

  /** Writes that follow keep their order after it. */
  #putBack(id: string, entry: UndoEntry): void {
    const number = (each: string) => Number(each.slice(each.lastIndexOf("-") + 1));
    const all = [...this.#entries, [id, entry] as const].sort(
      ([one], [other]) => number(one) - number(other),
    );
    this.#entries.clear();
    for (const [each, kept] of all) this.#entries.set(each, kept);
  }

  #set(id: string, entry: UndoEntry): void {
    const { what, bytes } = entry;
    this.#entries.set(id, bytes > maxBytes ? finalEntry(what, "it is too large to keep") : entry);
    this.#trim();
  }

  #trim(): void {
    let bytes = 0;
    for (const { bytes: kept } of this.#entries.values()) bytes += kept;
    for (const [id, { bytes: kept }] of this.#entries) {
      if (this.#entries.size <= maxEntries && bytes <= maxBytes) return;
      this.#entries.delete(id);
      bytes -= kept;
    }
  }
}

/**
 * Sends a write whose checkpoint is `entry`. A write that certainly failed leaves no checkpoint; one whose outcome is
 * unknown does. `after` returns the entry that the result of the write makes exact, or undefined if nothing was changed.
 */
export async function writeWithCheckpoint<Result>(
  log: UndoCheckpoints,
  entry: UndoEntry,
  write: () => Promise<Result>,
  after: (result: Result) => UndoEntry | undefined,
): Promise<{ readonly result: Result; readonly undo: string | null }> {
  const id = log.add(entry);
  try {
    const result = await write();
    const exact = after(result);
    if (exact === undefined) log.remove(id);
    else log.replace(id, exact);
    return { result, undo: log.has(id) ? id : null };
  } catch (error) {
    if (isTablekeepError(error) && !error.ambiguous) log.remove(id);
    throw error;
  }
}
