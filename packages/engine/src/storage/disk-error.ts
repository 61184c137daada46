import { statfsSync } from "node:fs";
import { EngineError } from "../engine-error.ts";
import { StorageFault } from "./storage.ts";

/** By these the system and LMDB say that there is no room: ENOSPC, EDQUOT, EFBIG, MDB_MAP_FULL. */
const noRoom = new Set<unknown>(["ENOSPC", "EDQUOT", "EFBIG", 28, 122, 27, -30792]);
/** A write that is cut short for lack of room comes back from LMDB as EIO. With less room than this it was that. */
const ioErrors = new Set<unknown>(["EIO", 5]);
const scarceBytes = 1024 * 1024;

/** Whether an error of the file system or of LMDB means that the disk is full. */
export function isDiskFull(error: unknown, path: string, neededBytes = 0): boolean {
  const code = codeOf(error);
  if (noRoom.has(code)) return true;
  return ioErrors.has(code) && roomIn(path) < Math.max(scarceBytes, 4 * neededBytes);
}

/** The typed error for a full or failing disk; undefined for any other error. */
export function diskError(error: unknown, path: string): EngineError | undefined {
  if (error instanceof StorageFault) return faultError(error, path);
  if (isDiskFull(error, path)) return faultError(new StorageFault("full", "the disk is full", error), path);
  return ioErrors.has(codeOf(error))
    ? faultError(new StorageFault("failed", "the disk reported an error", error), path)
    : undefined;
}

/** What the callers of a write get when its commit failed. */
export function faultError(fault: unknown, path: string | undefined): EngineError {
  const details = path === undefined ? {} : { path };
  if (fault instanceof StorageFault && fault.reason === "full") {
    const message = "the disk is full, nothing was written: make room, then write again";
    return new EngineError("ENGINE_DISK_FULL", message, details, { cause: fault });
  }
  const message =
    "the disk reported an error, the write may be there or not: check the disk, then read before writing";
  return new EngineError("ENGINE_DISK_FAILED", message, details, { cause: fault, ambiguous: true });
}

/** What the caller of a read gets for the same. Nothing was to be written, so that nothing is in doubt. */
export function readError(error: unknown, path: string): EngineError | undefined {
  const fault = diskError(error, path);
  if (fault === undefined) return undefined;
  const message = "the disk reported an error, and nothing could be read: check the disk, then read again";
  return new EngineError("ENGINE_DISK_FAILED", message, { path }, { cause: error });
}

function roomIn(path: string): number {
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
