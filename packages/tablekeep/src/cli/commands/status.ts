import type { Command } from "commander";
import type { ServiceStatus } from "../../server/shadow/service-status.ts";
import { addCommand } from "../frame/add-command.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { configOption, readCommandConfig, type ServeConfig } from "../settings/serve-config.ts";
import type { SettingKey } from "../settings/settings.ts";
import {
  type FolderStatus,
  readFolderStatus,
  readServices,
  type StatusOwner,
} from "../store/folder-status.ts";
import { dataOption, folderOf } from "../store/open-store.ts";

interface StatusFlags {
  readonly config?: string;
  readonly data?: string;
}

/** `tablekeep status` */
export function addStatusCommand(program: Command, context: CommandContext): void {
  addCommand(program, "status", {
    summary: "print which process serves the data folder, and where",
    description:
      "Prints which process has the data folder open, the addresses that it serves, and whether it answers. Changes nothing, and succeeds even if no process has the folder open.",
    examples: ["npx tablekeep status", "npx tablekeep status --data ./my-data --json"],
  })
    .addOption(dataOption())
    .addOption(configOption())
    .action((flags: StatusFlags) => status(flags, context));
}

async function status(flags: StatusFlags, { io, print }: CommandContext): Promise<void> {
  const config = await readCommandConfig({ ...flags }, io);
  const elsewhere = elsewhereOf(config);
  if (elsewhere !== undefined) {
    const { where, from } = elsewhere;
    print(printable(`The data is not in a folder but ${where} (${from}): no process owns it.`), {
      state: "elsewhere",
      where,
      from,
      owner: null,
    });
    return;
  }
  const where = await folderOf(config);
  const from = sourceOf(config, "data");
  const { shadowTableSpec } = await import("@tablekeep/shadow");
  const [shadows] = config.stores.shadows ?? [{}];
  const { name: table } = shadowTableSpec(shadows?.store?.table);
  const { state, owner } = await readFolderStatus(where, io);
  const { checkFolderFormat } = await import("@tablekeep/engine");
  if (state === "free") checkFolderFormat(where);
  const services = owner?.answers ? await readServices(where, table, io) : [];
  const lines = [
    `Data folder ${where} (${from})`,
    ...linesOf({ state, owner }),
    ...services.flatMap(serviceLines),
  ];
  print(lines.map(printable).join("\n"), { state, where, from, owner, services });
}

/** The location of the data by the settings, unless it is a folder. */
function elsewhereOf(config: ServeConfig): { readonly where: string; readonly from: string } | undefined {
  const { region, endpoint, memory } = config.settings;
  if (region !== undefined) return { where: `on DynamoDB in ${region}`, from: sourceOf(config, "region") };
  if (endpoint !== undefined) return { where: `at ${endpoint}`, from: sourceOf(config, "endpoint") };
  return memory ? { where: "in the memory of a server", from: sourceOf(config, "memory") } : undefined;
}

function sourceOf({ sources }: ServeConfig, key: SettingKey): string {
  return sources.get(key)?.from ?? "default";
}

/** The last status of a service, which does not repeat it while nothing changes. */
function serviceLines({ service, at, lines }: ServiceStatus): readonly string[] {
  const heading = `${service[0]?.toUpperCase()}${service.slice(1)} (${new Date(at).toISOString()})`;
  return [heading, ...lines.map((line) => `  ${line}`)];
}

function linesOf({ state, owner }: FolderStatus): readonly string[] {
  if (owner === null)
    return state === "free"
      ? ['No process has it open. "tablekeep serve" serves it, "tablekeep doctor" checks it.']
      : ['It has no data, and no process has it open. "tablekeep serve" creates it.'];
  const process = `process ${owner.pid} on ${owner.host}`;
  if (state === "open") return [`Open in ${process}, which does not serve it.`];
  return [
    `Served by ${process}${answerText(owner)}`,
    ...owner.listeners.map(({ name, url }) => `  ${name.padEnd(10)}${url}`),
  ];
}

function answerText({ answers, pid }: StatusOwner): string {
  if (answers === null) return ", which cannot be checked from here:";
  return answers
    ? ", which answers:"
    : `, which does not answer: read its log, or end it with "kill ${pid}" and start it again:`;
}
