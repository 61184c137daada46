import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { FolderListener, FolderOwner } from "@tablekeep/engine";
import type { ServiceStatus } from "../../server/shadow/service-status.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { connectTo } from "./open-store.ts";

/** The process that has a folder open. */
export interface StatusOwner {
  readonly pid: number;
  readonly host: string;
  readonly listeners: readonly FolderListener[];
  /** Whether it responded to a request; null if it cannot be reached from this machine, or serves nothing. */
  readonly answers: boolean | null;
}

/** The use of a data folder. */
export interface FolderStatus {
  readonly state: "served" | "open" | "free" | "empty";
  readonly owner: StatusOwner | null;
}

/** The time that a server has to respond, in milliseconds. */
const answerMs = 2_000;

/** Returns which process has a folder open, and whether it responds. Neither opens nor creates the folder. */
export async function readFolderStatus(folder: string, io: CommandIo): Promise<FolderStatus> {
  const { isEngineFolder, readFolderOwner } = await import("@tablekeep/engine");
  const ofOwner = async () => {
    const owner = readFolderOwner(folder);
    return owner && { owner, answers: await isAnswering(folder, io) };
  };
  let found = await ofOwner();
  // A server that stopped meanwhile does not respond, and another one may have opened the folder by now.
  if (found?.answers === false && readFolderOwner(folder)?.pid !== found.owner.pid) found = await ofOwner();
  if (found?.answers === false && isOfEarlierBoot(folder)) found = undefined;
  if (found === undefined) return { state: isEngineFolder(folder) ? "free" : "empty", owner: null };
  const { pid, host } = found.owner;
  const listeners = listenersOf(found.owner);
  const isServed = found.answers !== null || listeners.length > 0;
  return { state: isServed ? "served" : "open", owner: { pid, host, listeners, answers: found.answers } };
}

/**
 * Whether the owner of a folder ran on this machine before it was last started, as after a power failure. By now its process id belongs
 * to another process, or to none.
 */
function isOfEarlierBoot(folder: string): boolean {
  try {
    const { host, boot } = JSON.parse(readFileSync(join(folder, "owner.json"), "utf8")) as Partial<
      Record<string, unknown>
    >;
    const current = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return host === hostname() && typeof boot === "string" && boot !== current;
  } catch {
    // Removed meanwhile, or a system other than Linux.
    return false;
  }
}

/** A program that embeds the engine may announce only its endpoint. */
function listenersOf({ listeners, endpoint }: FolderOwner): readonly FolderListener[] {
  return listeners ?? (endpoint === undefined ? [] : [{ name: "dynamodb", url: endpoint }]);
}

/** Returns the last status of the server's background services, from its table of shadows; none without that table. */
export async function readServices(
  folder: string,
  table: string,
  { signal }: CommandIo,
): Promise<readonly ServiceStatus[]> {
  const { readFolderAccess } = await import("@tablekeep/engine");
  const { readServiceStatuses } = await import("../../server/shadow/service-status.ts");
  const access = readFolderAccess(folder);
  if (access === undefined) return [];
  await using port = await connectTo(access.endpoint, access, answerMs);
  try {
    return await readServiceStatuses(port, table, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    return [];
  }
}

async function isAnswering(folder: string, { signal }: CommandIo): Promise<boolean | null> {
  const { readFolderAccess } = await import("@tablekeep/engine");
  const access = readFolderAccess(folder);
  if (access === undefined) return null;
  await using port = await connectTo(access.endpoint, access, answerMs);
  try {
    await port.listTables({ Limit: 1 }, { signal });
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
}
