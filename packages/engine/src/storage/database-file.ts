import { closeSync, fstatSync, openSync, readSync, truncateSync, writeSync } from "node:fs";
import { sleep, systemClock } from "@tablekeep/core";
import { checkFreeSpace, databaseFile, folderDamaged, folderUnusable } from "./folder-files.ts";
import { pageSize } from "./lmdb-environment.ts";

/**
 * The position, in each of the first two pages of an LMDB file, of a four-byte mark, followed by four bytes of
 * format.
 */
const markAt = 24;
const mark = 0xbeefc0de;
const format = 2;
/** The position of the number of the last commit in the same pages. */
const commitAt = 152;
const metaBytes = 2 * pageSize;

/** The size of an empty LMDB database with the files beside it. */
const minFreeBytes = 64 * 1024;

/** Long enough for another process to finish creating the file. */
const creationMs = 100;

/** Waits a moment if another process may be creating the database. */
export async function waitForCreation(path: string): Promise<void> {
  if (isUnfinished(path)) await sleep(systemClock, creationMs);
}

function isUnfinished(path: string): boolean {
  try {
    return databaseFileState(path) === "unfinished";
  } catch {
    // The file is missing or unusable, which is reported later.
    return false;
  }
}

/**
 * Checks that LMDB can open its files: if it cannot, it ends the process without an error. A file whose creation was
 * never finished, as on a full disk, contains nothing yet and is started over.
 */
export function checkDatabaseFile(path: string): void {
  const content = databaseFileState(path);
  if (content === "other")
    throw folderDamaged(path, new Error("data.mdb is damaged, or not an LMDB database"));
  if (content === "database") return;
  if (content === "unfinished") truncateSync(databaseFile(path), 0);
  checkFreeSpace(path, minFreeBytes);
}

/** Returns what the database file contains: nothing, an unfinished database, a database, or something else. */
export function databaseFileState(path: string): "nothing" | "unfinished" | "database" | "other" {
  const { size, bytes } = readStart(databaseFile(path));
  if (size === 0) return "nothing";
  const [first, second] = [isMeta(bytes, 0), isMeta(bytes, pageSize)];
  if (first && second) return "database";
  // Data is stored after these pages, and nothing has been committed yet: nothing can be lost.
  const isNew = first ? bytes.readUInt32LE(commitAt) === 0 : bytes.every((byte) => byte === 0);
  return size <= metaBytes && isNew ? "unfinished" : "other";
}

function isMeta(bytes: Buffer, page: number): boolean {
  if (bytes.length < page + commitAt + 8) return false;
  return bytes.readUInt32LE(page + markAt) === mark && bytes.readUInt32LE(page + markAt + 4) === format;
}

/** Reads the first two pages. LMDB's locks are on its other file, so closing this one releases none. */
function readStart(file: string): { size: number; bytes: Buffer } {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(metaBytes);
    const length = readSync(descriptor, bytes, 0, metaBytes, 0);
    return { size: fstatSync(descriptor).size, bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes both first pages of a compacted copy describe its content; LMDB leaves the first empty. Which of the two counts is in
 * LMDB's other file, and a process that has opened that file before the copy replaced the database would see nothing.
 */
export function repeatMetaPage(path: string): void {
  const descriptor = openSync(databaseFile(path), "r+");
  try {
    const length = pageSize - markAt;
    const meta = Buffer.alloc(length);
    if (readSync(descriptor, meta, 0, length, pageSize + markAt) !== length)
      throw folderUnusable(path, new Error("data.mdb is damaged"));
    writeSync(descriptor, meta, 0, length, markAt);
  } finally {
    closeSync(descriptor);
  }
}
