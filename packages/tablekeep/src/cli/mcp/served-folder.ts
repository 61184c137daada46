import { resolve } from "node:path";
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
