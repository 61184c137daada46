import { randomUUID } from "node:crypto";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
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
import { diskError } from "./disk-error.ts";

/** Nobody but the owner's user may look into a folder that an engine makes, nor into the files in it. */
const folderMode = 0o700;
const fileMode = 0o600;

/** LMDB's own files. They are made here, because LMDB would let others read them. */
const databaseFiles = ["data.mdb", "lock.mdb"];

/** Makes the folder if it is not there. */
export function prepareFolder(path: string): void {
  try {
    makeFolder(path);
    if (!statSync(path).isDirectory()) throw new TypeError("it is not a folder");
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Not by Node's `recursive`: it never ends where a file system says that a folder which is there is not, as /proc does. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, folderMode);
  } catch (error) {
    if (codeOf(error) === "EEXIST" || existsSync(path)) return;
    const parent = dirname(path);
    if (codeOf(error) !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    makeFolder(parent);
    // Another process may be making the same folders.
    makeFolder(path);
  }
}

/** Makes the files of the database, empty and private, and takes from others what an older mode gave them. */
export function prepareDatabaseFiles(path: string): void {
  for (const name of databaseFiles) {
    const file = join(path, name);
    try {
      // Never opens a file that is there: to close it would end the locks that this process holds on it.
      closeSync(openSync(file, "wx", fileMode));
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw diskError(error, path) ?? unusable(path, error);
      takePrivately(path, name);
    }
  }
}

function takePrivately(path: string, name: string): void {
  const file = join(path, name);
  try {
    if (!statSync(file).isFile()) throw new TypeError(`${name} is not a file`);
    chmodSync(file, fileMode);
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Throws if there is no room for so many bytes in the folder. */
export function checkRoom(path: string, bytes: number): void {
  // Of one name, so that what a killed process leaves is gone after the next try.
  const draft = join(path, "room.tmp");
  try {
    writeFileSync(draft, Buffer.alloc(bytes), { mode: fileMode, flush: true });
  } catch (error) {
    throw diskError(error, path) ?? unusable(path, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The text of a small file in the folder, or undefined if there is none. */
export function readSmallFile(path: string, name: string): string | undefined {
  try {
    return readFileSync(join(path, name), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw unusable(path, error);
  }
}

/** Replaces a small file at once: whoever reads it sees the old text or the new one. */
export function replaceSmallFile(path: string, name: string, text: string): void {
  const draft = join(path, `${name}.${randomUUID()}`);
  try {
    writeFileSync(draft, text, { mode: fileMode, flush: true });
    renameSync(draft, join(path, name));
  } catch (error) {
    rmSync(draft, { force: true });
    throw diskError(error, path) ?? unusable(path, error);
  }
}

/** Removes what a killed process left of {@link replaceSmallFile}. Only where nobody else replaces the file just now. */
export function removeDrafts(path: string, name: string): void {
  for (const found of readdirSync(path)) {
    if (found.startsWith(`${name}.`) && draftPattern.test(found)) rmSync(join(path, found), { force: true });
  }
}

const draftPattern = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes a small file if it is there. */
export function removeSmallFile(path: string, name: string): void {
  rmSync(join(path, name), { force: true });
}

/** The refusal of a folder, and why. */
export function unusable(path: string, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EngineError(
    "ENGINE_FOLDER_UNUSABLE",
    `the folder ${path} cannot be used (${reason}): give a folder that this process can read and write`,
    { path },
    { cause },
  );
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}

const fileName = "format.json";
/** Raised whenever older versions could not read what this one writes. */
const supported = "1";

/** Marks a new folder with the format in which it is written, and refuses one of another format. */
export function checkFormat(path: string): void {
  const text = readSmallFile(path, fileName);
  if (text === undefined && !existsSync(join(path, "data.mdb"))) {
    replaceSmallFile(path, fileName, `${JSON.stringify({ format: supported })}\n`);
    return;
  }
  const found = text === undefined ? "none" : formatIn(text);
  if (found === supported) return;
  throw new EngineError(
    "ENGINE_FORMAT_UNKNOWN",
    `the folder ${path} has format ${found}, this version reads format ${supported}: ` +
      "open it with the version that wrote it, or load a dump of it into a new folder",
    { path, found, supported },
  );
}

/** Whether an engine has written into the folder before. */
export function isEngineFolder(path: string): boolean {
  return existsSync(join(path, fileName)) || existsSync(join(path, "data.mdb"));
}

function formatIn(text: string): string {
  try {
    const { format } = JSON.parse(text) as { format?: unknown };
    return typeof format === "string" ? format : "unreadable";
  } catch {
    return "unreadable";
  }
}
