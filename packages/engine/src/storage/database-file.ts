import { closeSync, fstatSync, openSync, readSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { sleep, systemClock } from "@tablekeep/core";
import { checkRoom, unusable } from "./folder-files.ts";
import { pageSize } from "./lmdb-environment.ts";

/** In each of the two pages that an LMDB file begins with: four bytes that mark it, four with the format. */
const markAt = 24;
const mark = 0xbeefc0de;
const format = 2;
/** In the same pages: the number of the last commit. */
const commitAt = 152;
const metaBytes = 2 * pageSize;

/** Bytes of an LMDB with nothing in it, and of the files beside it. */
const leastRoom = 64 * 1024;

/** Long enough for another process to finish the file that it has begun. */
const begunMs = 100;

/** Waits a moment for a database that another process may be making just now. */
export async function letOthersFinish(path: string): Promise<void> {
  if (isBegun(path)) await sleep(systemClock, begunMs);
}

function isBegun(path: string): boolean {
  try {
    return contentOf(path) === "begun";
  } catch {
    // Not there, or not to be used, which is told later.
    return false;
  }
}

/**
 * Sees to it that LMDB can open its files: where it cannot, it ends the process instead of saying so. A file that was
 * begun and never finished, as on a full disk, holds nothing yet and is begun anew.
 */
export function checkDatabaseFile(path: string): void {
  const content = contentOf(path);
  if (content === "other")
    throw unusable(path, new Error("data.mdb is damaged, or no database of this kind"));
  if (content === "database") return;
  if (content === "begun") truncateSync(join(path, "data.mdb"), 0);
  checkRoom(path, leastRoom);
}

/** What the file of a database is: empty, begun by LMDB but not finished, a database, or anything else. */
export function contentOf(path: string): "nothing" | "begun" | "database" | "other" {
  const { size, bytes } = beginning(join(path, "data.mdb"));
  if (size === 0) return "nothing";
  const [first, second] = [isMeta(bytes, 0), isMeta(bytes, pageSize)];
  if (first && second) return "database";
  // Data lies behind these pages, and nothing has been committed yet: there is nothing to lose.
  const isNew = first ? bytes.readUInt32LE(commitAt) === 0 : bytes.every((byte) => byte === 0);
  return size <= metaBytes && isNew ? "begun" : "other";
}

function isMeta(bytes: Buffer, page: number): boolean {
  if (bytes.length < page + commitAt + 8) return false;
  return bytes.readUInt32LE(page + markAt) === mark && bytes.readUInt32LE(page + markAt + 4) === format;
}

/** LMDB's locks are on its other file: to close this one ends none. */
function beginning(file: string): { size: number; bytes: Buffer } {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(metaBytes);
    const length = readSync(descriptor, bytes, 0, metaBytes, 0);
    return { size: fstatSync(descriptor).size, bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(descriptor);
  }
}
