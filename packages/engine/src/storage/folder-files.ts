import { randomUUID } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { EngineError } from "../engine-error.ts";
import { diskError, isDamage } from "./disk-error.ts";

/** Folders and files that an engine creates are private to its user. */
const folderMode = 0o700;
const fileMode = 0o600;

/** LMDB's own files. The engine creates them, because LMDB would make them readable for others. */
const databaseFiles = ["data.mdb", "lock.mdb"];

/** LMDB's file with the data. */
export function databaseFile(path: string): string {
  return join(path, "data.mdb");
}

/** Identifies the current file with the data, even against a later one with the same name. */
export function databaseFileIdentity(path: string): string {
  const { dev, ino, birthtimeNs } = statSync(databaseFile(path), { bigint: true });
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Creates the folder if it does not exist. */
export function prepareFolder(path: string): void {
  try {
    makeFolder(path);
    if (!statSync(path).isDirectory()) throw new TypeError("not a folder");
  } catch (error) {
    throw folderUnusable(path, error);
  }
}

/**
 * Does not use Node's `recursive`, which loops forever on a file system that reports an existing folder as missing,
 * as /proc does.
 */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, folderMode);
  } catch (error) {
    if (codeOf(error) === "EEXIST" || existsSync(path)) return;
    const parent = dirname(path);
    if (codeOf(error) !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    makeFolder(parent);
    // Another process may be creating the same folders.
    makeFolder(path);
  }
}

/** Creates the files of the database, empty and private, and makes existing ones private. */
export function prepareDatabaseFiles(path: string): void {
  for (const name of databaseFiles) {
    const file = join(path, name);
    try {
      // Must not open an existing file: closing it would release the locks that this process has on it.
      closeSync(openSync(file, "wx", fileMode));
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw diskError(error, path) ?? folderUnusable(path, error);
      makePrivate(path, name);
    }
  }
}

function makePrivate(path: string, name: string): void {
  const file = join(path, name);
  try {
    if (!statSync(file).isFile()) throw new TypeError(`${name} is not a file`);
    chmodSync(file, fileMode);
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw folderUnusable(path, error);
  }
}

/** Throws if the folder has no space for this many bytes. */
export function checkFreeSpace(path: string, bytes: number): void {
  // Always the same name, so that the next attempt removes what a killed process left.
  const draft = join(path, "free-space.tmp");
  try {
    writeFileSync(draft, Buffer.alloc(bytes), { mode: fileMode, flush: true });
  } catch (error) {
    throw diskError(error, path) ?? folderUnusable(path, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Flushes a file, or the names of a folder's files. */
export function flush(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the content of a small file in the folder, or undefined if there is none. */
export function readSmallFile(path: string, name: string): string | undefined {
  try {
    return readFileSync(join(path, name), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw folderUnusable(path, error);
  }
}

/** Replaces a small file atomically: readers see the old content or the new one. */
export function replaceSmallFile(path: string, name: string, text: string): void {
  const draft = join(path, `${name}.${randomUUID()}`);
  try {
    writeFileSync(draft, text, { mode: fileMode, flush: true });
    renameSync(draft, join(path, name));
  } catch (error) {
    rmSync(draft, { force: true });
    throw diskError(error, path) ?? folderUnusable(path, error);
  }
}

/** Removes what killed processes left of {@link replaceSmallFile}. Call it only while no other process replaces the file. */
export function removeDrafts(path: string, name: string): void {
  for (const found of readdirSync(path)) {
    if (found.startsWith(`${name}.`) && draftPattern.test(found)) rmSync(join(path, found), { force: true });
  }
}

const draftPattern = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes a small file if it exists. */
export function removeSmallFile(path: string, name: string): void {
  rmSync(join(path, name), { force: true });
}

/** The error for a folder that cannot be used, with the reason. */
export function folderUnusable(
  path: string,
  cause: unknown,
  advice = "use one that this process can read and write",
): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EngineError(
    isDenied(cause) ? "ENGINE_FOLDER_DENIED" : "ENGINE_FOLDER_UNUSABLE",
    `folder ${path} cannot be used (${reason}): ${advice}`,
    { path },
    { cause },
  );
}

/** Whether the system denies access to a file. */
function isDenied(error: unknown): boolean {
  return codeOf(error) === "EACCES" || codeOf(error) === "EPERM";
}

/** The error for a folder whose database is damaged. */
export function folderDamaged(path: string, cause: unknown): EngineError {
  return folderUnusable(path, cause, "restore it from a backup, or set another folder");
}

/** Returns the typed error for a folder that could not be opened, or the same error if it has no type. */
export function openingError(error: unknown, path: string): unknown {
  if (!isDamage(error)) return diskError(error, path) ?? error;
  return folderDamaged(path, new Error("data.mdb is damaged", { cause: error }));
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}

const fileName = "format.json";
/**
 * Incremented whenever older versions could not read what this one writes. Format 1 has no log beside the database; in
 * format 2 each change record is a separate entry.
 */
const supported = "3";
const upgradable: readonly string[] = ["1", "2"];

/** Writes the format into a new folder, and rejects a folder of another format. */
export function prepareFormat(path: string): void {
  if (readableFormat(path) === undefined) writeFormat(path);
}

/** Marks a folder of an earlier format as one of the current format. Only for the owner: the former one may still be running. */
export function upgradeFormat(path: string): void {
  if (readableFormat(path) !== supported) writeFormat(path);
}

function writeFormat(path: string): void {
  replaceSmallFile(path, fileName, `${JSON.stringify({ format: supported })}\n`);
}

/**
 * Throws `ENGINE_FORMAT_UNKNOWN` if this version cannot open the folder, and `ENGINE_FOLDER_DENIED` if this user may not see that.
 * Changes nothing, where opening the folder upgrades an older format.
 *
 * @example
 * checkFolderFormat("./data");
 */
export function checkFolderFormat(path: string): void {
  readableFormat(path);
}

/** Returns the format of a folder that this version can open; undefined for a new folder. */
function readableFormat(path: string): string | undefined {
  const text = readSmallFile(path, fileName);
  if (text === undefined && !existsSync(join(path, "data.mdb"))) return undefined;
  const found = text === undefined ? "none" : parseFormat(text);
  if (found === supported || upgradable.includes(found)) return found;
  throw new EngineError(
    "ENGINE_FORMAT_UNKNOWN",
    `folder ${path} has format ${found}, but this version reads format ${supported}: ` +
      "open it with the version that wrote it, or load a dump of it into a new folder",
    { path, found, supported },
  );
}

/**
 * Returns whether an engine has written to the folder before. Throws `ENGINE_FOLDER_DENIED` if this user may not see that.
 *
 * @example
 * if (!isEngineFolder("./data")) console.log("starting with an empty folder");
 */
export function isEngineFolder(path: string): boolean {
  return [fileName, "data.mdb"].some((name) => {
    try {
      return statSync(join(path, name), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      if (isDenied(error)) throw folderUnusable(path, error);
      return false;
    }
  });
}

function parseFormat(text: string): string {
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    return typeof format === "string" ? format : "unreadable";
  } catch {
    return "unreadable";
  }
}
