import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { flush, folderUnusable } from "./folder-files.ts";
import type { StorageKey } from "./storage.ts";
import type { Changes } from "./undo-log.ts";

/**
 * A record is a head and the changes of one commit:
 *
 *     0   the length of the changes, 4 bytes
 *     4   the CRC-32 of everything after it, 4 bytes
 *     8   the identity of the log, 8 bytes
 *     16  the number of the commit, 8 bytes
 *     24  for each change: the length of its key, the length of its value plus one or 0 for a deletion, key and value
 */
const headBytes = 24;
const numberAt = 16;
const changeHeadBytes = 8;

/** Longer records are not worth writing twice: they go to the database at once. A character has at most three bytes. */
const maxRecordBytes = 768 * 1024;

/** All logs of a process encode their records here. Memory that is never written costs nothing. */
const encoded = Buffer.allocUnsafeSlow(headBytes + maxRecordBytes);

/** The file grows in steps of this size, filled with zeros: a flush is twice as fast if it does not have to record a new length. */
const growthBytes = 256 * 1024;
const zeros = Buffer.alloc(growthBytes);

/** Up to where the database contains the commits of a log. */
export interface LogMark {
  /** The identity of the log. */
  readonly id: string;
  /** The number of the last commit. */
  readonly number: number;
}

/** A commit that a log contains. */
export interface LoggedCommit {
  readonly number: number;
  readonly changes: Changes;
}

/**
 * A file of commits that the database does not contain yet. Adding one takes a single flush, where the database takes two and
 * writes whole pages. Once the database contains them all, the file is written again from its start; the numbers of the commits, which only grow, tell
 * old records from new ones.
 */
export class WriteLog {
  readonly #file: string;
  readonly #id: string;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  #length = 0;
  /** Where the next record begins. */
  #end: number;
  /** The number of the last commit. */
  #number: number;
  /** Set after a failure: the record after the last one may be complete on the disk. */
  #hasDoubt = false;

  /** Continues after `end` bytes of records, the last of which is commit `mark.number`. */
  constructor(file: string, maxBytes: number, mark: LogMark, end: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#id = mark.id;
    this.#number = mark.number;
    this.#end = end;
  }

  /** Bytes of the records that count. */
  get bytes(): number {
    return this.#end;
  }

  /** True if a commit that failed may be in the log. */
  get hasDoubt(): boolean {
    return this.#hasDoubt;
  }

  /** What makes all records obsolete, even one of a commit that failed, once the database contains it. */
  get mark(): LogMark {
    return { id: this.#id, number: this.#number + (this.#hasDoubt ? 1 : 0) };
  }

  /**
   * Adds a commit, which is on the disk when this returns. Returns false if it does not fit. Throws the error of the file system:
   * the commit may then be in the log, see {@link hasDoubt}.
   */
  append(changes: Changes): boolean {
    if (this.#maxBytes === 0) return false;
    const bytes = encode(changes, this.#id, this.#number + 1);
    if (bytes === undefined || this.#end + bytes > this.#maxBytes) return false;
    const descriptor = this.#open();
    this.#reserve(descriptor, this.#end + bytes);
    try {
      writeAll(descriptor, encoded, bytes, this.#end);
      fdatasyncSync(descriptor);
    } catch (error) {
      this.#hasDoubt = true;
      throw error;
    }
    this.#hasDoubt = false;
    this.#end += bytes;
    this.#number++;
    return true;
  }

  /** Overwrites what a failed {@link append} may have written. Throws if that fails, too. */
  withdraw(): void {
    const descriptor = this.#open();
    writeAll(descriptor, zeros, headBytes, this.#end);
    fdatasyncSync(descriptor);
    this.#hasDoubt = false;
  }

  /** The database contains all commits up to `number`: the next record is written at the start. */
  restart(number: number): void {
    this.#number = number;
    this.#hasDoubt = false;
    this.#end = 0;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Closes and removes the file. Only if the database contains {@link mark}. */
  remove(): void {
    this.close();
    rmSync(this.#file, { force: true });
  }

  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor;
    const isNew = this.#end === 0;
    const descriptor = openSync(this.#file, isNew ? "w+" : "r+", 0o600);
    try {
      if (isNew) flush(dirname(this.#file));
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    this.#length = this.#end;
    this.#descriptor = descriptor;
    return descriptor;
  }

  /** Lets the file grow. If the disk is full, it keeps its length: what is left may be enough for the database. */
  #reserve(descriptor: number, needed: number): void {
    try {
      for (; this.#length < needed; this.#length += growthBytes)
        writeAll(descriptor, zeros, growthBytes, this.#length);
    } catch (error) {
      ftruncateSync(descriptor, this.#length);
      throw error;
    }
  }
}

/** Writes the record of a commit to {@link encoded}; returns its length, or undefined if it is too long. */
function encode(changes: Changes, id: string, number: number): number | undefined {
  let maxBytes = headBytes;
  for (const [key, value] of changes) maxBytes += changeHeadBytes + key.length + 3 * (value?.length ?? 0);
  if (maxBytes > encoded.length) return undefined;
  let at = headBytes;
  for (const [key, value] of changes) {
    const keyAt = at + changeHeadBytes;
    const valueAt = keyAt + encoded.write(key, keyAt, "latin1");
    const valueBytes = value === undefined ? 0 : encoded.write(value, valueAt, "utf8");
    encoded.writeUInt32LE(key.length, at);
    encoded.writeUInt32LE(value === undefined ? 0 : valueBytes + 1, at + 4);
    at = valueAt + valueBytes;
  }
  encoded.writeUInt32LE(at - headBytes, 0);
  encoded.write(id, 8, 8, "latin1");
  encoded.writeDoubleLE(number, numberAt);
  encoded.writeUInt32LE(crc32(encoded.subarray(8, at)), 4);
  return at;
}

function writeAll(descriptor: number, bytes: Buffer, length: number, position: number): void {
  for (let done = 0; done < length; )
    done += writeSync(descriptor, bytes, done, length - done, position + done);
}

/** What a log contains: commits with successive numbers, and how many bytes they take. */
export interface LogContent {
  readonly id: string;
  readonly commits: readonly LoggedCommit[];
  readonly bytes: number;
}

/**
 * Reads a log up to the first record that is not complete, of another log, or older than the one before it; undefined if there is none.
 * Throws if a later commit follows: then that record was complete once, because each is flushed before the next one is written.
 */
export function readLog(file: string, mark: LogMark | undefined): LogContent | undefined {
  const bytes = readIfExists(file);
  const commits: LoggedCommit[] = [];
  let id: string | undefined;
  let at = 0;
  while (bytes !== undefined) {
    const record = recordAt(bytes, at);
    const previous = commits.at(-1)?.number;
    if (record === undefined || (id !== undefined && record.id !== id)) break;
    if (previous !== undefined && record.number !== previous + 1) break;
    id = record.id;
    commits.push(record);
    at = record.end;
  }
  const last = Math.max(mark?.number ?? 0, commits.at(-1)?.number ?? 0);
  if (bytes !== undefined && hasLaterCommit(bytes, at, last)) {
    const advice =
      "restore the folder from a backup, or move writes.log away to continue without the commits in it";
    throw folderUnusable(dirname(file), new Error("writes.log is damaged"), advice);
  }
  return id === undefined ? undefined : { id, commits, bytes: at };
}

/** Returns whether a complete record with a higher number begins anywhere after `from`. */
function hasLaterCommit(bytes: Buffer, from: number, number: number): boolean {
  for (let at = from + 1; at + headBytes <= bytes.length; at++) {
    const found = bytes.readDoubleLE(at + numberAt);
    if (Number.isSafeInteger(found) && found > number && recordAt(bytes, at) !== undefined) return true;
  }
  return false;
}

function readIfExists(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw folderUnusable(dirname(file), error);
  }
}

/** Returns the record at a position; undefined if it was not written completely. */
function recordAt(bytes: Buffer, start: number): (LoggedCommit & { id: string; end: number }) | undefined {
  if (start + headBytes > bytes.length) return undefined;
  const length = bytes.readUInt32LE(start);
  const end = start + headBytes + length;
  if (end > bytes.length) return undefined;
  if (crc32(bytes.subarray(start + 8, end)) !== bytes.readUInt32LE(start + 4)) return undefined;
  const changes = new Map<StorageKey, string | undefined>();
  for (let at = start + headBytes; at < end; ) {
    const keyAt = at + changeHeadBytes;
    const valueAt = keyAt + bytes.readUInt32LE(at);
    const valueLength = bytes.readUInt32LE(at + 4);
    const valueEnd = valueAt + Math.max(0, valueLength - 1);
    changes.set(
      bytes.toString("latin1", keyAt, valueAt),
      valueLength === 0 ? undefined : bytes.toString("utf8", valueAt, valueEnd),
    );
    at = valueEnd;
  }
  const id = bytes.toString("latin1", start + 8, start + 16);
  return { id, number: bytes.readDoubleLE(start + numberAt), changes, end };
}
