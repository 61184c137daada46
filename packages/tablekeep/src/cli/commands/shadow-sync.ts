import type { SyncStatus } from "@tablekeep/shadow";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { addShadowStoreOptions, findShadows, type ShadowStoreFlags } from "../shadow/find-shadows.ts";

interface SyncFlags extends ShadowStoreFlags {
  readonly rejected?: true;
}

/** `tablekeep shadow sync` */
export function addShadowSyncCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "sync", {
    summary: "list the shadows that are synced with AWS IoT Core",
    description:
      "Lists the shadows that servers with --shadow-sync keep in sync with AWS IoT Core or another server: the versions here and there at the last sync, its time, and why a shadow is not synced.",
    examples: ["npx tablekeep shadow sync", "npx tablekeep shadow sync --rejected --json"],
  }).option("--rejected", "only shadows that one side rejects");
  addShadowStoreOptions(command).action((flags: SyncFlags) => listSynced(flags, context));
}

async function listSynced(
  { rejected, ...flags }: SyncFlags,
  { io, printRow, printNote }: CommandContext,
): Promise<void> {
  const { readSyncStatuses } = await import("@tablekeep/shadow");
  const { readServiceStatuses } = await import("../../server/shadow/service-status.ts");
  const { syncService } = await import("../../server/shadow/sync/run-sync.ts");
  const call = { signal: io.signal };
  await using found = await findShadows(flags, io);
  const { port, table } = found;
  const clouds = (await readServiceStatuses(port, table, call)).filter(({ service }) =>
    service.startsWith(syncService),
  );
  if (clouds.length === 0)
    printNote('No server has synced the shadows of this table. "tablekeep serve --shadow-sync" does.');
  for (const { service, lines, at } of clouds) {
    const cloud = service.slice(syncService.length);
    printNote(printable(`${cloud}: ${lines.join("; ")} (${new Date(at).toISOString()})`));
    for await (const status of readSyncStatuses(port, cloud, { table }, call))
      if (rejected !== true || status.problem !== undefined)
        await printRow(
          () => printable(`  ${textOf(status)}`),
          () => documentOf(cloud, status),
        );
  }
}

function textOf({ id, name, localVersion, cloudVersion, syncedAt, problem }: SyncStatus): string {
  const time = syncedAt === undefined ? "never synced" : `synced ${new Date(syncedAt).toISOString()}`;
  const why = problem === undefined ? "" : `  rejected: ${problem}`;
  return `${id}  ${name === "" ? "(classic)" : name}  version ${localVersion} here, ${cloudVersion} there  ${time}${why}`;
}

function documentOf(cloud: string, { id, syncedAt, ...rest }: SyncStatus): object {
  return {
    cloud,
    thing: id,
    ...rest,
    syncedAt: syncedAt === undefined ? null : new Date(syncedAt).toISOString(),
  };
}
