import { type Command, InvalidArgumentError, Option } from "commander";
import { bindAddresses } from "./bind-addresses.ts";
import { joined, type Layer, type Said } from "./layer.ts";
import { type MailhogSettings, mailhogSettings } from "./mailhog-settings.ts";
import { type Setting, valueOfText, whatItTakes } from "./setting.ts";
import { type SettingKey, settings } from "./settings.ts";

/** Adds an option for each setting. */
export function addSettingOptions(command: Command): Command {
  for (const setting of Object.values(settings)) command.addOption(optionOf(setting));
  for (const setting of Object.values(mailhogSettings)) command.addOption(optionOf(setting));
  return command;
}

function optionOf({ flag, text, type, usual }: Setting): Option {
  const option = new Option(flag, text);
  if (usual !== undefined && usual !== "") option.default(usual);
  if (type === "flag" || type === "switch") return option;
  if (type === "choice") option.preset("true");
  return option.argParser((given) => {
    const value = valueOfText(type, given);
    if (value === undefined) throw new InvalidArgumentError(`give ${whatItTakes[type]}`);
    return value;
  });
}

/** What the command line says, in our words and in MailHog's. */
export function flagLayer(command: Pick<Command, "getOptionValue" | "getOptionValueSource">): Layer {
  const said = (key: string) =>
    command.getOptionValueSource(key) === "cli" ? (command.getOptionValue(key) as Said["value"]) : undefined;
  const own = new Map<SettingKey, Said>();
  for (const [key, { flag }] of Object.entries(settings) as [SettingKey, Setting][]) {
    const value = said(key);
    if (value !== undefined) own.set(key, { value, from: longFlag(flag) });
  }
  const addresses = bindAddresses(
    {
      smtpBindAddr: said("smtpBindAddr") as string | undefined,
      apiBindAddr: said("apiBindAddr") as string | undefined,
      uiBindAddr: said("uiBindAddr") as string | undefined,
    },
    (key: keyof MailhogSettings) => longFlag(mailhogSettings[key].flag),
  );
  return joined([own, addresses], "give one of them");
}

/** `--port, --http-port <number>` → `--http-port`. */
export function longFlag(flag: string): string {
  return /--[\w-]+(?=( [<[].*)?$)/.exec(flag)?.[0] ?? flag;
}
