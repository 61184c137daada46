import { statfsSync } from "node:fs";
import { EngineError } from "../engine-error.ts";
import { StorageFault } from "./storage.ts";

/** The codes of the system and of LMDB for a full disk: ENOSPC, EDQUOT, EFBIG, MDB_MAP_FULL. */
const diskFullCodes = new Set<unknown>(["ENOSPC", "EDQUOT", "EFBIG", 28, 122, 27, -30792]);
/** LMDB reports a write that was cut short on a full disk as EIO. With less free space than this, that is the cause. */
const ioErrors = new Set<unknown>(["EIO", 5]);
const lowSpaceBytes = 1024 * 1024;
/** LMDB's codes for a file whose pages contradict each other: MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_PANIC, MDB_INVALID. */
const damageCodes = new Set<unknown>([-30797, -30796, -30795, -30793]);

/** Returns whether an error of LMDB means that its file is damaged. */
export function isDamage(error: unknown): boolean {
  return damageCodes.has(codeOf(error));
}

/** Returns whether an error of the file system or of LMDB means that the disk is full. */
export function isDiskFull(error: unknown, path: string, neededBytes = 0): boolean {
  const code = codeOf(error);
  if (diskFullCodes.has(code)) return true;
  return ioErrors.has(code) && freeBytes(path) < Math.max(lowSpaceBytes, 4 * neededBytes);
}

/** Returns the typed error for a full or failing disk; undefined for any other error. */
export function diskError(error: unknown, path: string): EngineError | undefined {
  if (error instanceof StorageFault) return toEngineError(error, path);
  if (isDiskFull(error, path)) return toEngineError(new StorageFault("full", "disk full", error), path);
  return ioErrors.has(codeOf(error)) || isDamage(error)
    ? toEngineError(new StorageFault("failed", "disk error", error), path)
    : undefined;
}

/** Returns the error for callers whose commit failed. */
export function toEngineError(fault: unknown, path: string | undefined): EngineError {
  const details = path === undefined ? {} : { path };
  if (fault instanceof StorageFault && fault.reason === "full") {
    const message = "disk full, nothing was written: free some space, then retry";
    return new EngineError("ENGINE_DISK_FULL", message, details, { cause: fault });
  }
  const message =
    "disk error, the write may or may not have been applied: check the disk, then read before writing again";
  return new EngineError("ENGINE_DISK_FAILED", message, details, { cause: fault, ambiguous: true });
}

/** Returns the error for the caller of a read. Nothing was being written, so it is never ambiguous. */
export function readError(error: unknown, path: string): EngineError | undefined {
  const fault = diskError(error, path);
  if (fault === undefined) return undefined;
  const message = "disk error while reading: check the disk, then retry";
  return new EngineError("ENGINE_DISK_FAILED", message, { path }, { cause: error });
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
