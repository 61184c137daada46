import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pointerTo } from "../../server/json-file.ts";
import { CliError, unreadableFile } from "../frame/cli-error.ts";
import type { Layer, SourcedSetting } from "./layers.ts";
import { closestWord } from "./layers.ts";
import { expectedValue, type SettingType, type SettingValue, valueOfJson } from "./setting.ts";
import { type SettingKey, settings } from "./settings.ts";

/** The sections of a file that describe stores. */
export interface StoreSections {
  readonly journals?: unknown;
  readonly mail?: unknown;
  readonly shadows?: unknown;
}

/** The content of a configuration file. */
export interface ConfigFile {
  /** Undefined if there is no file. */
  readonly path: string | undefined;
  readonly layer: Layer;
  readonly stores: StoreSections;
}

/** The file that is read if none is named and it exists. */
const defaultFile = "./tablekeep.json";

const sections = ["journals", "mail", "shadows"] as const;

/** Reads the named file, or the default one if it exists. */
export function readConfigFile(named: string | undefined): ConfigFile {
  const path = resolve(named ?? defaultFile);
  if (named === undefined && !isThere(path)) return { path: undefined, layer: new Map(), stores: {} };
  const document = parse(path, named === undefined ? "" : "--config");
  const layer = new Map<SettingKey, SourcedSetting>();
  const stores: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(document)) {
    if (Object.hasOwn(settings, key)) layer.set(key as SettingKey, settingIn(path, key as SettingKey, value));
    else if ((sections as readonly string[]).includes(key)) stores[key] = value;
    else throw unknownKey(path, key);
  }
  return { path, layer, stores };
}

/** Whether a path exists. A link without a target counts as existing, because its settings must not be ignored silently. */
function isThere(path: string): boolean {
  return existsSync(path) || (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false);
}

function parse(path: string, option: string): object {
  let text: string;
  try {
    // Editors on Windows begin a file with a byte order mark.
    text = readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch (error) {
    throw unreadableFile(path, error, option);
  }
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === "object" && document !== null && !Array.isArray(document)) return document;
  } catch (error) {
    throw new CliError("CLI_FILE_INVALID", `${path} is not valid JSON: ${(error as Error).message}`, error, {
      path,
    });
  }
  throw new CliError("CLI_FILE_INVALID", `${path} must be a JSON object of settings`, undefined, {
    path,
    pointer: "",
  });
}

function settingIn(path: string, key: SettingKey, given: unknown): SourcedSetting {
  const { type } = settings[key];
  const value = valueOfJson(type, given);
  if (value === undefined)
    throw new CliError("CLI_FILE_INVALID", `${path}: ${key} must be ${expectedValue[type]}`, undefined, {
      path,
      pointer: pointerTo(key),
    });
  return { value: fromFolder(path, type, value), from: path };
}

/** Relative paths start from the folder of the file, not from the working directory. */
function fromFolder(path: string, type: SettingType, value: SettingValue): SettingValue {
  return type === "path" ? resolve(dirname(path), String(value)) : value;
}

function unknownKey(path: string, key: string): CliError {
  const meant = closestWord(key, [...Object.keys(settings), ...sections]);
  return new CliError(
    "CLI_FILE_INVALID",
    `${path}: unknown setting ${key}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    undefined,
    { path, pointer: pointerTo(key) },
  );
}
