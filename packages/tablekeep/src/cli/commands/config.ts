import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addServeOptions, readServeConfig, type ServeConfig } from "../settings/serve-config.ts";
import type { Setting, SettingValue } from "../settings/setting.ts";
import { type SettingKey, settingEntries, settings } from "../settings/settings.ts";
import type { ConfiguredStores } from "../settings/store-sections.ts";

/** `tablekeep config`: prints the effective settings of `serve` and their sources. */
export function addConfigCommand(program: Command, context: CommandContext): void {
  const command = addCommand(program, "config", {
    summary: "print the effective settings of serve and their sources",
    description:
      "Prints the effective settings of `serve` with the same options, and the source of each. Secrets are not shown.",
    examples: ["npx tablekeep config", "npx tablekeep config --config ./tablekeep.json --http-port 8026"],
  });
  addServeOptions(command).action(async () =>
    printConfig(await readServeConfig(command, context.io), context),
  );
}

interface Shown {
  /** Null for a setting without a value, `true` for a secret with one. */
  readonly value: SettingValue | null;
  readonly from: string | null;
}

function printConfig({ sources, stores, file }: ServeConfig, context: CommandContext): void {
  const shown = Object.fromEntries(
    settingEntries.map(([key, { secret }]): [SettingKey, Shown] => {
      const { value = null, from = null } = sources.get(key) ?? {};
      return [key, { value: secret && value !== null ? true : value, from }];
    }),
  );
  const lines = Object.entries(shown).map(([key, each]) => line(key, each));
  context.print([...lines, ...storeLines(stores, file)].join("\n"), {
    file: file ?? null,
    settings: shown,
    stores,
  });
}

function line(key: string, { value, from }: Shown): string {
  const { secret }: Setting = settings[key as SettingKey];
  const words = value === null ? "-" : secret ? "(set)" : String(value) || '""';
  return `${key.padEnd(20)}${words.padEnd(28)}${from ?? ""}`.trimEnd();
}

function storeLines({ journals, mail, shadows }: ConfiguredStores, file: string | undefined): string[] {
  const names = (list: readonly { readonly name?: string }[]) => list.map(({ name }) => name).join(", ");
  return [
    ...(journals === undefined ? [] : [["journals", names(journals)]]),
    ...(mail === undefined ? [] : [["mail", JSON.stringify(mail)]]),
    ...(shadows === undefined ? [] : [["shadows", names(shadows)]]),
  ].map(([key = "", words = ""]) => `${key.padEnd(20)}${words.padEnd(28)}${file}`);
}
