import { type Command, Option } from "commander";
import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { withVariable } from "../frame/help-style.ts";
import { type ConfigFile, readConfigFile } from "./config-file.ts";
import { effectiveSettings, type Layer, type SourcedSetting } from "./layers.ts";
import { mailhogSettings } from "./mailhog-settings.ts";
import { longFlag, type SettingType, type SettingValue } from "./setting.ts";
import { addSettingOptions, flagLayer, mailhogVariables, tablekeepVariables } from "./setting-sources.ts";
import { type ServeSettings, type SettingKey, settingEntries } from "./settings.ts";
import { type ConfiguredStores, configuredStores } from "./store-sections.ts";

/** The effective configuration of a server. */
export interface ServeConfig {
  readonly settings: ServeSettings;
  /** The value and source of each setting, defaults included. Settings without a value are missing. */
  readonly sources: Layer;
  readonly stores: ConfiguredStores;
  /** The configuration file; undefined if there is none. */
  readonly file: string | undefined;
}

/** Adds all options of a server. */
export function addServeOptions(command: Command): Command {
  command.addOption(configOption().helpGroup("Data:"));
  return addSettingOptions(command);
}

/** The option for the configuration file. */
export function configOption(): Option {
  const text = "JSON file with settings (default: ./tablekeep.json if it exists)";
  return withVariable(new Option("--config <file>", text), "TABLEKEEP_CONFIG");
}

/** Reads the configuration. Precedence: flags, our variables, MailHog's variables, the file, defaults. */
export async function readServeConfig(command: Command, { env }: CommandIo): Promise<ServeConfig> {
  const named = command.getOptionValue("config") as string | undefined;
  const file = readConfigFile(named ?? (env["TABLEKEEP_CONFIG"] || undefined));
  rejectOtherStorage(command, env);
  return effective([flagLayer(command), tablekeepVariables(env), mailhogVariables(env), file.layer], file);
}

/** Settings from the flags of another command, by key. */
export type GivenSettings = { readonly [Key in SettingKey]?: SettingValue | undefined } & {
  readonly config?: string;
};

/** Reads the configuration for any other command, by its own flags and from the same sources as `serve`. */
export async function readCommandConfig(given: GivenSettings, { env }: CommandIo): Promise<ServeConfig> {
  const file = readConfigFile(given.config ?? (env["TABLEKEEP_CONFIG"] || undefined));
  const flags = new Map<SettingKey, SourcedSetting>();
  for (const [key, { flag }] of settingEntries) {
    const value = given[key];
    if (value !== undefined) flags.set(key, { value, from: longFlag(flag) });
  }
  return effective([flags, tablekeepVariables(env), mailhogVariables(env), file.layer], file);
}

async function effective(layers: readonly Layer[], file: ConfigFile): Promise<ServeConfig> {
  const sources = effectiveSettings([...layers, defaults()]);
  const values = settingEntries.map(([key]) => [key, normalized(key, sources.get(key)?.value)]);
  return {
    settings: Object.fromEntries(values) as ServeSettings,
    sources,
    stores: await configuredStores(file),
    file: file.path,
  };
}

/** The defaults of types that always have a value. */
const defaultOfType: Readonly<Partial<Record<SettingType, boolean>>> = {
  flag: false,
  choice: false,
  switch: true,
};

function defaults(): Layer {
  const layer = new Map<SettingKey, SourcedSetting>();
  for (const [key, { type, default: given }] of settingEntries) {
    const value = given ?? defaultOfType[type];
    if (value !== undefined) layer.set(key, { value, from: "default" });
  }
  return layer;
}

/** MailHog accepts `mail`, `/mail` and `/mail/` as the same web path. */
function normalized(key: SettingKey, value: SettingValue | undefined): SettingValue | undefined {
  if (key !== "webPath") return value;
  const path = String(value).replace(/^\/+|\/+$/g, "");
  return path === "" ? "" : `/${path}`;
}

function rejectOtherStorage(command: Command, env: CommandIo["env"]): void {
  const { flag, mailhog } = mailhogSettings.storage;
  const storage = (command.getOptionValue("storage") as string | undefined) ?? (env[mailhog] || undefined);
  if (storage === undefined || storage === "memory") return;
  throw new CliError(
    "CLI_VALUE_INVALID",
    `storage ${storage} is not supported: messages are stored with all other data; remove ${longFlag(flag)} and ${mailhog}`,
  );
}
