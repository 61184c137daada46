import { resolve } from "node:path";
import type { CompactOptions } from "@tablekeep/engine";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { grouped, Progress } from "../frame/progress.ts";
import { configOption, readCommandConfig } from "../settings/serve-config.ts";
import { adviseInUse } from "../store/folder-in-use.ts";
import { dataOption } from "../store/open-store.ts";

interface CompactFlags {
  readonly config?: string;
  readonly data?: string;
}

/** `tablekeep compact` */
export function addCompactCommand(program: Command, context: CommandContext): void {
  addCommand(program, "compact", {
    summary: "free the disk space of deleted data",
    description:
      "Copies the data of a folder without the space that deleted data has left, and replaces the folder's file with the copy in one step. Stop the server first. Needs free disk space for the copy.",
    examples: ["npx tablekeep compact", "npx tablekeep compact --data ./my-data --json"],
  })
    .addOption(dataOption())
    .addOption(configOption())
    .action((flags: CompactFlags) => compact(flags, context));
}

async function compact(flags: CompactFlags, { io, printDone }: CommandContext): Promise<void> {
  const { settings, sources } = await readCommandConfig({ ...flags }, io);
  const { region, endpoint, memory, data } = settings;
  if (flags.data === undefined && (memory || region !== undefined || endpoint !== undefined))
    throw new CliError(
      "CLI_OPTION_CONFLICT",
      `the settings store the data elsewhere (${region ?? endpoint ?? "in memory"}): set a folder with --data`,
    );
  if (data === "") throw new CliError("CLI_VALUE_INVALID", "--data is empty: pass a folder");
  const folder = resolve(data);
  const { compactFolder, isEngineFolder } = await import("@tablekeep/engine");
  if (!isEngineFolder(folder))
    throw new CliError(
      "CLI_DATA_FOLDER_MISSING",
      `no data in ${folder} (${sources.get("data")?.from ?? "default"}): set the folder with --data, TABLEKEEP_DATA or tablekeep.json`,
    );
  const progress = new Progress(io.stderr);
  const onProgress: CompactOptions["onProgress"] = ({ bytes, bytesBefore: all }) =>
    progress.show(() => ({
      verb: "copied",
      done: megabytes(bytes),
      total: megabytes(all),
      unit: "MB at most",
    }));
  const compacting = compactFolder(folder, { signal: io.signal, onProgress });
  const { bytesBefore, bytesAfter } = await adviseInUse(compacting, "stop that process first").finally(() =>
    progress.clear(),
  );
  printDone(`Compacted ${folder}: ${kilobytes(bytesBefore)} KB became ${kilobytes(bytesAfter)} KB.`, {
    folder,
    bytesBefore,
    bytesAfter,
  });
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}

function kilobytes(bytes: number): string {
  return grouped(Math.ceil(bytes / 1024));
}
