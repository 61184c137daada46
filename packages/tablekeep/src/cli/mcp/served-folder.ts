import { resolve } from "node:path";
import { isTablekeepError, sleep, systemClock } from "@tablekeep/core";
import { readCommandConfig } from "../settings/serve-config.ts";
import type { ToolCall } from "./tool.ts";

/** The folder of the settings; undefined if the data is elsewhere. */
export async function folderOf({ flags, io }: Pick<ToolCall, "flags" | "io">): Promise<string | undefined> {
  const { settings } = await readCommandConfig(flags, io);
  const { region, endpoint, memory, data } = settings;
  return region !== undefined || endpoint !== undefined || memory ? undefined : resolve(data);
}

/** Whether other processes can store data while a call waits: not in a folder that only this process has open. */
export async function isReceivingMail(call: Pick<ToolCall, "flags" | "io">): Promise<boolean> {
  const folder = await folderOf(call);
  return folder === undefined || isServed(folder);
}

/** Whether another process has a folder open and offers access to it. */
export async function isServed(folder: string): Promise<boolean> {
  const { readFolderAccess } = await import("@tablekeep/engine");
  return readFolderAccess(folder) !== undefined;
}

/** The time to wait for another process that has the folder open and does not serve it: a command, or a call of another agent. */
const lockedMs = 5_000;
const retryMs = 50;

/**
 * Repeats `work` while another process has the folder open. Nothing was read or written before that: every call opens
 * the folder first.
 */
export async function whenUnlocked<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const endsAt = systemClock.monotonic() + lockedMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isLocked = isTablekeepError(error) && error.code === "ENGINE_FOLDER_LOCKED";
      if (!isLocked || systemClock.monotonic() >= endsAt) throw error;
      await sleep(systemClock, retryMs, signal);
    }
  }
}
