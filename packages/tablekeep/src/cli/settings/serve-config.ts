import { type Command, Option } from "commander";
import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { addSettingOptions, flagLayer, longFlag } from "./flag-layer.ts";
import { effectiveSettings, type Layer, type SourcedSetting } from "./layers.ts";
import type { Setting } from "./setting.ts";
import { mailhogSettings, type ServeSettings, type SettingKey, settings } from "./settings.ts";
import { type ConfiguredStores, configuredStores } from "./store-sections.ts";
import { mailhogVariables, tablekeepVariables } from "./variable-layers.ts";

/** What a server is to be, and who said so. */
export interface ServeConfig {
  readonly settings: ServeSettings;
  /** What was said of each setting, defaults included; nothing of those that have none. */
  readonly said: Layer;
  readonly stores: ConfiguredStores;
  /** The file that was read; undefined where there is none. */
  readonly file: string | undefined;
}

/** Adds everything that a command line can say about a server. */
export function addServeOptions(command: Command): Command {
  command.addOption(
    new Option("--config <file>", "a JSON file with settings; ./tablekeep.json is read if it is there"),
  );
  return addSettingOptions(command);
}

/** Flags are above our variables, these above MailHog's, these above the file, and that above the defaults. */
export async function readServeConfig(command: Command, { env }: CommandIo): Promise<ServeConfig> {
  const named = command.getOptionValue("config") as string | undefined;
  const file = readConfigFile(named ?? (env["TABLEKEEP_CONFIG"] || undefined));
  refuseOtherStorage(command, env);
  return effective([flagLayer(command), tablekeepVariables(env), mailhogVariables(env), file.layer], file);
}

/** What the command line of another command says of settings, by their keys. */
export type GivenSettings = { readonly [Key in SettingKey]?: SourcedSetting["value"] | undefined } & {
  readonly config?: string | undefined;
};

/** The same for any other command: what its flags say, our variables, the file and the defaults. */
export async function readCommandConfig(given: GivenSettings, { env }: CommandIo): Promise<ServeConfig> {
  const file = readConfigFile(given.config ?? (env["TABLEKEEP_CONFIG"] || undefined));
  const flags = new Map<SettingKey, SourcedSetting>();
  for (const [key, { flag }] of Object.entries(settings) as [SettingKey, Setting][]) {
    const value = given[key];
    if (value !== undefined) flags.set(key, { value, from: longFlag(flag) });
  }
  return effective([flags, tablekeepVariables(env), file.layer], file);
}

async function effective(layers: readonly Layer[], file: ConfigFile): Promise<ServeConfig> {
  const said = effectiveSettings([...layers, defaults()]);
  const values = Object.keys(settings).map((key) => [key, settled(key as SettingKey, said)]);
  return {
    settings: Object.fromEntries(values) as unknown as ServeSettings,
    said,
    stores: await configuredStores(file),
    file: file.path,
  };
}

/** A flag is off and a switch is on where nobody says otherwise. */
function defaults(): Layer {
  const layer = new Map<SettingKey, SourcedSetting>();
  for (const [key, { type, default: given }] of Object.entries(settings) as [SettingKey, Setting][]) {
    const value = given ?? { flag: false, choice: false, switch: true, ...nothing }[type];
    if (value !== undefined) layer.set(key, { value, from: "default" });
  }
  return layer;
}

const nothing = { text: undefined, path: undefined, port: undefined, number: undefined };

/** MailHog takes `mail`, `/mail` and `/mail/` for the same. */
function settled(key: SettingKey, said: Layer): SourcedSetting["value"] | undefined {
  const value = said.get(key)?.value;
  if (key !== "webPath") return value;
  const path = String(value).replace(/^\/+|\/+$/g, "");
  return path === "" ? "" : `/${path}`;
}

function refuseOtherStorage(command: Command, env: CommandIo["env"]): void {
  const { flag, mailhog } = mailhogSettings.storage;
  const storage = (command.getOptionValue("storage") as string | undefined) ?? (env[mailhog] || undefined);
  if (storage === undefined || storage === "memory") return;
  throw new CliError(
    "CLI_VALUE_INVALID",
    `there is no storage ${storage}: messages are kept with all other data; leave ${longFlag(flag)} and ${mailhog} out`,
  );
}
