import type { ChaosSettings } from "@tablekeep/mail/smtp";

/** The value of a setting. */
export type SettingValue = string | number | boolean;

/**
 * The type of a setting. A `flag` is off unless given, a `switch` is on unless disabled, a `choice` is true or false. Relative
 * paths in a configuration file start from the folder of the file.
 */
export type SettingType = "text" | "path" | "port" | "number" | "flag" | "switch" | "choice";

/** One setting of a server, for the command line, the environment and the configuration file. */
export interface Setting {
  /** The flag with its value: `--host <address>`. */
  readonly flag: string;
  /** The help text. */
  readonly text: string;
  /** The heading above it in the help. */
  readonly group: string;
  readonly type: SettingType;
  /** @default none: the server decides */
  readonly default?: SettingValue;
  /** MailHog's variable with the same meaning. @default none */
  readonly mailhog?: string;
  /** Whether its value is never printed. @default false */
  readonly secret?: true;
  /** Whether it is an option of the server by the same name. @default false */
  readonly serverOption?: true;
  /** The setting of SMTP's fault injection that it sets. @default none */
  readonly chaos?: keyof ChaosSettings;
}

/** The entries of a table of settings, without the types of single settings. */
export function entriesOf<Key extends string>(
  table: Readonly<Record<Key, Setting>>,
): readonly (readonly [Key, Setting])[] {
  return Object.entries(table) as [Key, Setting][];
}

/** The variable of a setting: `httpPort` → `TABLEKEEP_HTTP_PORT`. */
export function variableOf(key: string): string {
  return `TABLEKEEP_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** The long flag of a setting: `--port, --http-port <number>` → `--http-port`. */
export function longFlag(flag: string): string {
  return /--[\w-]+(?=( [<[].*)?$)/.exec(flag)?.[0] ?? flag;
}

/** Parses a string from the command line or the environment; returns undefined if it is invalid. */
export function valueOfText(type: SettingType, text: string): SettingValue | undefined {
  switch (type) {
    case "text":
    case "path":
      return text;
    case "port":
      return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    default:
      return parseBoolean(text);
  }
}

/** Checks a value from the configuration file; returns undefined if it is invalid. */
export function valueOfJson(type: SettingType, value: unknown): SettingValue | undefined {
  switch (type) {
    case "text":
    case "path":
      return typeof value === "string" ? value : undefined;
    case "port":
    case "number":
      return typeof value === "number" ? valueOfText(type, String(value)) : undefined;
    default:
      return typeof value === "boolean" ? value : undefined;
  }
}

/** The values of each type, for error messages. */
export const expectedValue: Readonly<Record<SettingType, string>> = {
  text: "a string",
  path: "a path",
  port: "a port from 0 to 65535 (0 lets the system choose)",
  number: "a number",
  flag: "true or false",
  switch: "true or false",
  choice: "true or false",
};

/** Accepts what Go's ParseBool, and therefore MailHog, accepts. */
function parseBoolean(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}
