import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { readSmallFile, removeDrafts, removeSmallFile, replaceSmallFile } from "./folder-files.ts";
import type { FolderAccess } from "./storage.ts";

const fileName = "owner.json";

/** The process that has a folder open. */
export interface FolderOwner {
  readonly pid: number;
  /** The name of the machine or container it runs on. */
  readonly host: string;
  /** Where it can be reached, while it serves. */
  readonly endpoint?: string | undefined;
}

/** What `owner.json` holds. */
export interface OwnerRecord extends ProcessIdentity, FolderOwner {
  readonly access?: FolderAccess | undefined;
  /** Tells this opening of the folder from all others. */
  readonly token: string;
}

/**
 * Who has the folder open, by its `owner.json`; undefined if nobody has, or if that process is surely gone. A process
 * in another container counts as there: only opening the folder can tell.
 */
export function readFolderOwner(path: string): FolderOwner | undefined {
  const record = readOwnerRecord(path);
  if (record === undefined || livenessOf(record) === "dead") return undefined;
  const { pid, host, endpoint } = record;
  return { pid, host, ...(endpoint !== undefined && { endpoint }) };
}

/**
 * How other programs on this machine reach the process that has the folder open; undefined if it offers no private
 * endpoint, or runs elsewhere.
 */
export function readFolderAccess(path: string): FolderAccess | undefined {
  const record = readOwnerRecord(path);
  return record !== undefined && isHere(record) ? record.access : undefined;
}

function isHere(record: OwnerRecord): boolean {
  return livenessOf(record) !== "dead" && record.host === hostname();
}

/** The record as it stands; undefined if there is none that can be understood. */
export function readOwnerRecord(path: string): OwnerRecord | undefined {
  const text = readSmallFile(path, fileName);
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as Partial<OwnerRecord> | null;
    return typeof record?.pid === "number" && typeof record.token === "string"
      ? { ...record, pid: record.pid, token: record.token, host: String(record.host) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the record. Only for the owner, or for a taker that has made sure to be alone. */
export function writeOwnerRecord(path: string, record: OwnerRecord): void {
  replaceSmallFile(path, fileName, `${JSON.stringify(record)}\n`);
}

/** Takes the record over from whoever had it, with what they left unfinished. Only inside the lock of all takers. */
export function takeOwnerRecord(path: string, record: OwnerRecord): void {
  removeDrafts(path, fileName);
  writeOwnerRecord(path, record);
}

export function removeOwnerRecord(path: string): void {
  removeSmallFile(path, fileName);
}

/** What tells a process from every other, also from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When it began, in the kernel's ticks since boot. Linux only. */
  readonly startTime?: string | undefined;
  /** Which run of the kernel it belongs to. Linux only. */
  readonly boot?: string | undefined;
  /** The name space in which its number means something; containers have their own. Linux only. */
  readonly pidNamespace?: string | undefined;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    startTime: startTimeOf("self"),
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/** Whether a process still runs, as far as that can be seen from here. */
export type Liveness = "alive" | "dead" | "unknown";

/** Judges a process. `unknown` where it belongs to another machine, boot or container, or to a system without /proc. */
export function livenessOf(process: ProcessIdentity, self: ProcessIdentity = thisProcess()): Liveness {
  const sameKernel = self.boot !== undefined && process.boot === self.boot;
  if (sameKernel && process.startTime !== undefined && process.pidNamespace === self.pidNamespace) {
    return startTimeOf(process.pid) === process.startTime ? "alive" : "dead";
  }
  const comparable = self.boot === undefined && process.boot === undefined && process.host === self.host;
  return comparable && !isRunning(process.pid) ? "dead" : "unknown";
}

/** The start time of a process that runs; a zombie does not. */
function startTimeOf(pid: number | "self"): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  // The command's name, in parentheses, may hold anything; the fields after it are plain.
  const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return "ZX".includes(state) ? undefined : fields[18];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
