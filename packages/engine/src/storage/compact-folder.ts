import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type CancelTimer, systemClock } from "@tablekeep/core";
import { EngineError } from "../engine-error.ts";
import { diskError } from "./disk-error.ts";
import { databaseFile, flush, folderUnusable, isEngineFolder } from "./folder-files.ts";

/** The size of a folder's database on the disk before and after it was compacted. */
export interface CompactedFolder {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** Options of {@link compactFolder}. */
export interface CompactOptions {
  /** Leaves the folder as it was, unless it has been replaced already. The copy in progress is finished first. */
  readonly signal?: AbortSignal;
  /** Called a few times a second with the bytes that are copied; at most `bytesBefore` will be. @default none */
  readonly onProgress?: (progress: { readonly bytes: number; readonly bytesBefore: number }) => void;
}

/** Milliseconds between two reports. */
const reportMs = 200;

/**
 * Returns the disk space that deleted items have left to the system. Rejects with `ENGINE_FOLDER_LOCKED` while a process has the
 * folder open. Needs free space for a copy of what is left; the copy replaces the database in one step, so a crash leaves
 * either.
 *
 * @example
 * const { bytesBefore, bytesAfter } = await compactFolder("./data");
 */
export async function compactFolder(
  given: string,
  { signal, onProgress }: CompactOptions = {},
): Promise<CompactedFolder> {
  const path = resolve(given);
  if (!isEngineFolder(path)) throw folderUnusable(path, new Error("no engine has written to it"));
  throwIfAborted(signal);
  // Loaded when used, so that engines in memory start without LMDB.
  const { FolderStorage } = await import("./folder-storage.ts");
  const storage = await FolderStorage.open(path);
  const draft = join(path, `${draftPrefix}${randomUUID()}`);
  try {
    // No other process compacts the folder: these are of processes that were killed.
    removeDrafts(path);
    const bytesBefore = bytesOnDisk(path);
    mkdirSync(draft, 0o700);
    const stop = reportGrowth(draft, (bytes) => onProgress?.({ bytes, bytesBefore }));
    await storage.copyTo(draft).finally(stop);
    await prepareCopy(draft);
    throwIfAborted(signal);
    storage.runExclusively(() => renameSync(databaseFile(draft), databaseFile(path)));
    flush(path);
    return { bytesBefore, bytesAfter: bytesOnDisk(path) };
  } catch (error) {
    throw diskError(error, path) ?? error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
    await storage.close();
  }
}

/** Reports the size of a copy now and then, and at the end, when the returned function is called. LMDB writes it in a thread and says nothing meanwhile. */
function reportGrowth(draft: string, report: (bytes: number) => void): () => void {
  const tell = () => report(statSync(databaseFile(draft), { throwIfNoEntry: false })?.size ?? 0);
  let cancel: CancelTimer = () => {};
  const tellLater = () => {
    cancel = systemClock.after(
      reportMs,
      () => {
        tell();
        tellLater();
      },
      { background: true },
    );
  };
  tellLater();
  return () => {
    cancel();
    tell();
  };
}

const draftPrefix = "compact.";

function removeDrafts(path: string): void {
  for (const name of readdirSync(path))
    if (name.startsWith(draftPrefix)) rmSync(join(path, name), { recursive: true, force: true });
}

/** Makes a copy complete, private and durable. */
async function prepareCopy(draft: string): Promise<void> {
  const { databaseFileState, repeatMetaPage } = await import("./database-file.ts");
  if (databaseFileState(draft) !== "database") throw folderUnusable(draft, new Error("the copy is damaged"));
  chmodSync(databaseFile(draft), 0o600);
  repeatMetaPage(draft);
  flush(databaseFile(draft));
}

function bytesOnDisk(path: string): number {
  return statSync(databaseFile(path)).blocks * 512;
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new EngineError("ENGINE_ABORTED", "aborted: the folder is unchanged", {}, { cause: signal.reason });
}
