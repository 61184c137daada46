import { type Command, InvalidArgumentError, Option } from "commander";
import { bindAddresses, joined, type Layer, type SourcedSetting } from "./layers.ts";
import { expectedValue, type Setting, valueOfText } from "./setting.ts";
import { type MailhogSettings, mailhogSettings, type SettingKey, settings } from "./settings.ts";

/** Adds an option for each setting. */
export function addSettingOptions(command: Command): Command {
  for (const setting of Object.values(settings)) command.addOption(optionOf(setting));
  for (const setting of Object.values(mailhogSettings)) command.addOption(optionOf(setting));
  return command;
}

function optionOf({ flag, text, type, default: value }: Setting): Option {
  const option = new Option(flag, text);
  if (value !== undefined && value !== "") option.default(value);
  if (type === "flag" || type === "switch") return option;
  if (type === "choice") option.preset("true");
  return option.argParser((given) => {
    const value = valueOfText(type, given);
    if (value === undefined) throw new InvalidArgumentError(`give ${expectedValue[type]}`);
    return value;
  });
}

/** What the command line says, in our words and in MailHog's. */
export function flagLayer(command: Pick<Command, "getOptionValue" | "getOptionValueSource">): Layer {
  const said = (key: string) =>
    command.getOptionValueSource(key) === "cli"
      ? (command.getOptionValue(key) as SourcedSetting["value"])
      : undefined;
  const own = new Map<SettingKey, SourcedSetting>();
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
