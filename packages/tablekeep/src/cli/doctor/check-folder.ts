import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { grouped } from "../frame/progress.ts";
import type { FolderStatus } from "../store/folder-status.ts";
import type { DoctorFinding } from "./doctor-finding.ts";

const megabyte = 1024 * 1024;

/** Below this, the next writes may fail. */
const minFreeBytes = 64 * megabyte;

/** Checks that this user can use a data folder, and that its disk has space. */
export function checkFolder(path: string): readonly DoctorFinding[] {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      return checkMissing(path);
    }
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `${path} cannot be read and written (${code}): change its permissions, or its owner`;
    return [{ check: "folder", status: "wrong", reason: "folder-denied", details: { path, code }, message }];
  }
  const { bavail, bsize } = statfsSync(path);
  return [privacyOf(path, stats), checkSpace(bavail * bsize)];
}

/** Checks that a server can create a folder. */
function checkMissing(path: string): readonly DoctorFinding[] {
  let parent = dirname(path);
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `${path} does not exist, and cannot be created in ${parent} (${code}): create it for this user, or set another folder with --data`;
    const details = { path, parent, code };
    return [{ check: "folder", status: "wrong", reason: "folder-denied", details, message }];
  }
  const { bavail, bsize } = statfsSync(parent);
  const message = `${path} does not exist: "tablekeep serve" creates it`;
  return [
    { check: "folder", status: "note", reason: "folder-missing", details: { path }, message },
    checkSpace(bavail * bsize),
  ];
}

function privacyOf(path: string, { mode }: Stats): DoctorFinding {
  // The engine's files are private anyway, but a user who can write to the folder can replace them.
  const isShared = process.platform !== "win32" && (mode & 0o022) !== 0;
  const details = { path };
  return isShared
    ? {
        check: "folder",
        status: "note",
        reason: "folder-shared",
        details,
        message: `other users can write to ${path}: run "chmod 700" on it`,
      }
    : {
        check: "folder",
        status: "ok",
        reason: "folder-usable",
        details,
        message: `${path} can be read and written`,
      };
}

/** Compares the free space of a disk with what the engine needs for its next writes. */
export function checkSpace(freeBytes: number): DoctorFinding {
  const free = `${grouped(Math.floor(freeBytes / megabyte))} MB of the disk are free`;
  const details = { freeBytes };
  return freeBytes < minFreeBytes
    ? {
        check: "space",
        status: "wrong",
        reason: "disk-full",
        details,
        message: `${free}: free at least ${minFreeBytes / megabyte} MB`,
      }
    : { check: "space", status: "ok", reason: "disk-has-space", details, message: free };
}

/** Checks the process that has the folder open. */
export function checkOwner({ state, owner }: FolderStatus): DoctorFinding {
  if (owner === null)
    return { check: "owner", status: "ok", reason: "unowned", message: "no process has the folder open" };
  const process = `process ${owner.pid} on ${owner.host}`;
  const details = { pid: owner.pid, host: owner.host };
  if (state === "open")
    return {
      check: "owner",
      status: "note",
      reason: "not-served",
      details,
      message: `${process} has the folder open but does not serve it: stop it to check the tables`,
    };
  if (owner.answers === false)
    return {
      check: "owner",
      status: "wrong",
      reason: "owner-silent",
      details,
      message: `${process} serves the folder but does not answer: read its log, or end it and start it again`,
    };
  return { check: "owner", status: "ok", reason: "served", details, message: `${process} serves the folder` };
}
