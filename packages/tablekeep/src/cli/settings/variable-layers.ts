import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { bindAddresses, closestWord, joined, type Layer, type SourcedSetting } from "./layers.ts";
import {
  expectedValue,
  type Setting,
  type SettingType,
  type SettingValue,
  valueOfText,
  variableOf,
} from "./setting.ts";
import { mailhogSettings, type SettingKey, settings } from "./settings.ts";

type Environment = CommandIo["env"];

const all = Object.entries(settings) as [SettingKey, Setting][];

/** Variables of this program, and of its tests, that are no settings of a server. */
const others: ReadonlySet<string> = new Set([
  "TABLEKEEP_CONFIG",
  "TABLEKEEP_DEBUG",
  "TABLEKEEP_PROPERTY_RUNS",
  "TABLEKEEP_TEST_SCALE",
  "TABLEKEEP_UPDATE_DOCS",
]);

/** What our own variables say. One that means nothing is refused: it would be a wish that nobody hears. */
export function tablekeepVariables(env: Environment): Layer {
  const known = all.map(([key]) => variableOf(key));
  for (const name of Object.keys(env)) {
    if (!name.startsWith("TABLEKEEP_") || known.includes(name) || others.has(name)) continue;
    const meant = closestWord(name, known);
    throw new CliError(
      "CLI_VALUE_INVALID",
      `${name} is no variable of tablekeep${meant === undefined ? "" : `: do you mean ${meant}?`}`,
    );
  }
  return layerOf(
    all.map(([key, { type }]) => [key, variableOf(key), type]),
    env,
  );
}

/** What MailHog's variables say. Others of MailHog's are none of ours, as they are to MailHog itself. */
export function mailhogVariables(env: Environment): Layer {
  const shared = all.flatMap(([key, { mailhog, type }]): Wanted[] =>
    mailhog === undefined ? [] : [[key, mailhog, type]],
  );
  const said = (key: keyof typeof mailhogSettings) => env[mailhogSettings[key].mailhog] || undefined;
  const addresses = bindAddresses(
    { smtpBindAddr: said("smtpBindAddr"), apiBindAddr: said("apiBindAddr"), uiBindAddr: said("uiBindAddr") },
    (key) => mailhogSettings[key].mailhog,
  );
  return joined([layerOf(shared, env), addresses], "give one of them");
}

type Wanted = readonly [key: SettingKey, variable: string, type: SettingType];

/** An empty variable says nothing. */
function layerOf(wanted: readonly Wanted[], env: Environment): Layer {
  const found = new Map<SettingKey, SourcedSetting>();
  for (const [key, variable, type] of wanted) {
    const text = env[variable] ?? "";
    if (text !== "") found.set(key, { value: understood(variable, type, text), from: variable });
  }
  return found;
}

function understood(variable: string, type: SettingType, text: string): SettingValue {
  const value = valueOfText(type, text);
  if (value !== undefined) return value;
  throw new CliError("CLI_VALUE_INVALID", `${variable} is ${text}: give ${expectedValue[type]}`);
}
