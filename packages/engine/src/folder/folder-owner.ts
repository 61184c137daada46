import { hostname } from "node:os";
import { readSmallFile, removeDrafts, removeSmallFile, replaceSmallFile } from "./folder-files.ts";
import { livenessOf, type ProcessIdentity } from "./process-identity.ts";

const fileName = "owner.json";

/** The process that has a folder open. */
export interface FolderOwner {
  readonly pid: number;
  /** The name of the machine or container it runs on. */
  readonly host: string;
  /** Where it can be reached, while it serves. */
  readonly endpoint?: string | undefined;
}

/** A private endpoint for other programs of the same user: only they can read the keys, which are in the folder. */
export interface FolderAccess {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
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
