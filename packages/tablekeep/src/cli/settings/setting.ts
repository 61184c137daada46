/** What a setting may be. */
export type SettingValue = string | number | boolean;

/**
 * How a setting is written: `flag` is off unless it is said, `switch` is on unless it is denied, `choice` says yes or no.
 * Paths in a file count from the folder of the file.
 */
export type SettingType = "text" | "path" | "port" | "number" | "flag" | "switch" | "choice";

/** One thing that can be said about a server, on the command line, in the environment and in a file. */
export interface Setting {
  /** As the command line has it, with its value: `--host <address>`. */
  readonly flag: string;
  /** What the help says. */
  readonly text: string;
  readonly type: SettingType;
  /** What counts where nothing is said. @default nothing: the server knows what to do without */
  readonly default?: SettingValue;
  /** MailHog's variable of the same meaning. @default there is none */
  readonly mailhog?: string;
  /** Whether its value is shown to nobody. @default false */
  readonly secret?: true;
}

/** The variable of a setting: `httpPort` → `TABLEKEEP_HTTP_PORT`. */
export function variableOf(key: string): string {
  return `TABLEKEEP_${key.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** What a text means to a setting of this type; undefined if it means nothing. */
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
      return booleanOf(text);
  }
}

/** What a value of a JSON document means to it. */
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

/** What a setting of this type takes, in words. */
export const expectedValue: Readonly<Record<SettingType, string>> = {
  text: "a text",
  path: "a path",
  port: "a port from 0 to 65535; 0 lets the system choose",
  number: "a number",
  flag: "true or false",
  switch: "true or false",
  choice: "true or false",
};

/** As Go reads them, and so MailHog. */
function booleanOf(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}
