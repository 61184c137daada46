import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { readSmallFile, removeDrafts, removeSmallFile, replaceSmallFile } from "./folder-files.ts";
import type { FolderAccess, FolderListener } from "./storage.ts";

const fileName = "owner.json";

/** The process that has a folder open. */
export interface FolderOwner {
  readonly pid: number;
  /** The name of the machine or container it runs on. */
  readonly host: string;
  /** Where it can be reached while it serves the folder. */
  readonly endpoint?: string;
  /** The addresses of the server that has it open. */
  readonly listeners?: readonly FolderListener[];
}

/** The content of `owner.json`. */
export interface OwnerRecord extends ProcessIdentity, FolderOwner {
  readonly access?: FolderAccess;
  /** Identifies this opening of the folder. */
  readonly token: string;
}

/**
 * Returns the owner recorded in a folder's `owner.json`; undefined if there is none, or if that process is known to
 * be dead. A process in another container counts as alive: only opening the folder can tell.
 *
 * @example
 * console.log(readFolderOwner("./data")?.pid);
 */
export function readFolderOwner(path: string): FolderOwner | undefined {
  const record = readOwnerRecord(path);
  if (record === undefined || livenessOf(record) === "dead") return undefined;
  const { pid, host, endpoint } = record;
  const listeners = listenersOf(record.listeners);
  return {
    pid,
    host,
    ...(endpoint !== undefined && { endpoint }),
    ...(listeners.length > 0 && { listeners }),
  };
}

/** The listeners of a record, which another version may have written. */
function listenersOf(listeners: unknown): FolderListener[] {
  return (Array.isArray(listeners) ? (listeners as Partial<FolderListener | null>[]) : []).flatMap((each) => {
    const { name, url } = each ?? {};
    return typeof name === "string" && typeof url === "string" ? [{ name, url }] : [];
  });
}

/**
 * Returns how other programs on this machine reach the owner of a folder; undefined if it has no private endpoint, or
 * runs elsewhere.
 *
 * @example
 * const access = readFolderAccess("./data");
 */
export function readFolderAccess(path: string): FolderAccess | undefined {
  const record = readOwnerRecord(path);
  return record !== undefined && isOnThisHost(record) ? record.access : undefined;
}

function isOnThisHost(record: OwnerRecord): boolean {
  return livenessOf(record) !== "dead" && record.host === hostname();
}

/** Returns the current record; undefined if there is none, or if it is unreadable. */
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

/** Writes the record. Only for the owner, or inside the writer lock. */
export function writeOwnerRecord(path: string, record: OwnerRecord): void {
  replaceSmallFile(path, fileName, `${JSON.stringify(record)}\n`);
}

/** Replaces the record of a former owner, and removes its unfinished drafts. Only inside the writer lock. */
export function replaceOwnerRecord(path: string, record: OwnerRecord): void {
  removeDrafts(path, fileName);
  writeOwnerRecord(path, record);
}

export function removeOwnerRecord(path: string): void {
  removeSmallFile(path, fileName);
}

/** Identifies a process, even against a later one with the same process id. */
interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When it started, in the kernel's ticks since boot. Linux only. */
  readonly startTime?: string;
  /** The boot of the kernel that it belongs to. Linux only. */
  readonly boot?: string;
  /** The namespace of its process id; containers have their own. Linux only. */
  readonly pidNamespace?: string;
}

/** Returns the identity of this process. */
export function thisProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    startTime: startTimeOf("self"),
    boot: attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: attempt(() => readlinkSync("/proc/self/ns/pid")),
  };
}

/** Whether a process still runs, as far as this process can see. */
type Liveness = "alive" | "dead" | "unknown";

/**
 * Returns whether a process is alive. `unknown` if it belongs to another machine, boot or container, or on a system
 * without /proc.
 */
export function livenessOf(process: ProcessIdentity): Liveness {
  const self = thisProcess();
  const sameKernel = self.boot !== undefined && process.boot === self.boot;
  if (sameKernel && process.startTime !== undefined && process.pidNamespace === self.pidNamespace) {
    return startTimeOf(process.pid) === process.startTime ? "alive" : "dead";
  }
  const comparable = self.boot === undefined && process.boot === undefined && process.host === self.host;
  return comparable && !isRunning(process.pid) ? "dead" : "unknown";
}

/** Returns the start time of a running process; undefined for a zombie. */
function startTimeOf(pid: number | "self"): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  // The command's name, in parentheses, may contain anything; the fields after it are plain.
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
