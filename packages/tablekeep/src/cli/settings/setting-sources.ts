import { type Command, InvalidArgumentError, Option } from "commander";
import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { withVariable } from "../frame/help-style.ts";
import { bindAddresses, closestWord, type Layer, mergeLayers, type SourcedSetting } from "./layers.ts";
import { mailhogEntries, mailhogSettings } from "./mailhog-settings.ts";
import {
  expectedValue,
  longFlag,
  type Setting,
  type SettingType,
  type SettingValue,
  valueOfText,
  variableOf,
} from "./setting.ts";
import { type SettingKey, settingEntries } from "./settings.ts";

/** Adds an option for each setting, under the headings of their groups. */
export function addSettingOptions(command: Command): Command {
  for (const [key, setting] of settingEntries)
    command.addOption(withVariable(optionOf(setting), variableOf(key)));
  for (const [, setting] of mailhogEntries) command.addOption(optionOf(setting));
  return command;
}

function optionOf({ flag, text, group, type, default: value }: Setting): Option {
  const option = new Option(flag, text).helpGroup(`${group}:`);
  if (value !== undefined && value !== "") option.default(value);
  if (type === "flag" || type === "switch") return option;
  if (type === "choice") option.preset("true");
  return option.argParser((given) => {
    const parsed = valueOfText(type, given);
    if (parsed === undefined) throw new InvalidArgumentError(`expected ${expectedValue[type]}`);
    return parsed;
  });
}

/** The settings of the command line, by our names and by MailHog's. */
export function flagLayer(command: Pick<Command, "getOptionValue" | "getOptionValueSource">): Layer {
  const given = (key: string) =>
    command.getOptionValueSource(key) === "cli" ? (command.getOptionValue(key) as SettingValue) : undefined;
  const own = new Map<SettingKey, SourcedSetting>();
  for (const [key, { flag }] of settingEntries) {
    const value = given(key);
    if (value !== undefined) own.set(key, { value, from: longFlag(flag) });
  }
  const address = (key: string) => given(key) as string | undefined;
  const addresses = bindAddresses(
    {
      smtpBindAddr: address("smtpBindAddr"),
      apiBindAddr: address("apiBindAddr"),
      uiBindAddr: address("uiBindAddr"),
    },
    (key) => longFlag(mailhogSettings[key].flag),
  );
  return mergeLayers([own, addresses], "use one of them");
}

type Environment = CommandIo["env"];

/** Variables of this program and of its tests that are not settings of a server. */
const otherVariables: ReadonlySet<string> = new Set([
  "TABLEKEEP_CONFIG",
  "TABLEKEEP_DEBUG",
  "TABLEKEEP_PROPERTY_RUNS",
  "TABLEKEEP_TEST_SCALE",
  "TABLEKEEP_UPDATE_DOCS",
]);

/** The settings of `TABLEKEEP_` variables. An unknown one is an error, because it would have no effect. */
export function tablekeepVariables(env: Environment): Layer {
  const known = settingEntries.map(([key]) => variableOf(key));
  for (const name of Object.keys(env)) {
    if (!name.startsWith("TABLEKEEP_") || known.includes(name) || otherVariables.has(name)) continue;
    const meant = closestWord(name, known);
    throw new CliError(
      "CLI_VALUE_INVALID",
      `unknown variable ${name}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    );
  }
  return layerOf(
    settingEntries.map(([key, { type }]) => [key, variableOf(key), type]),
    env,
  );
}

/** The settings of MailHog's variables. Unknown ones are ignored, as MailHog does. */
export function mailhogVariables(env: Environment): Layer {
  const shared = settingEntries.flatMap(([key, { mailhog, type }]): VariableOf[] =>
    mailhog === undefined ? [] : [[key, mailhog, type]],
  );
  const address = (key: keyof typeof mailhogSettings) => env[mailhogSettings[key].mailhog] || undefined;
  const addresses = bindAddresses(
    {
      smtpBindAddr: address("smtpBindAddr"),
      apiBindAddr: address("apiBindAddr"),
      uiBindAddr: address("uiBindAddr"),
    },
    (key) => mailhogSettings[key].mailhog,
  );
  return mergeLayers([layerOf(shared, env), addresses], "use one of them");
}

type VariableOf = readonly [key: SettingKey, variable: string, type: SettingType];

/** Empty variables count as not set. */
function layerOf(variables: readonly VariableOf[], env: Environment): Layer {
  const found = new Map<SettingKey, SourcedSetting>();
  for (const [key, variable, type] of variables) {
    const text = env[variable] ?? "";
    if (text === "") continue;
    const value = valueOfText(type, text);
    if (value === undefined)
      throw new CliError("CLI_VALUE_INVALID", `${variable} must be ${expectedValue[type]}, got "${text}"`);
    found.set(key, { value, from: variable });
  }
  return found;
}
