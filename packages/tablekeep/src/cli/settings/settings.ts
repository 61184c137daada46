import { mqttSettings } from "./mqtt-settings.ts";
import { entriesOf, type Setting, type SettingType } from "./setting.ts";
import { smtpSettings } from "./smtp-settings.ts";

const commonSettings = {
  data: {
    flag: "--data <folder>",
    text: "folder for all data",
    group: "Data",
    type: "path",
    default: "./tablekeep-data",
  },
  memory: {
    flag: "--memory",
    text: "keep all data in memory until the server stops",
    group: "Data",
    type: "flag",
  },
  endpoint: {
    flag: "--endpoint <url>",
    text: "keep all data in a DynamoDB-compatible server at this URL",
    group: "Data",
    type: "text",
  },
  region: {
    flag: "--region <name>",
    text: "keep all data in Amazon DynamoDB in this region",
    group: "Data",
    type: "text",
  },
  createTables: {
    flag: "--create-tables",
    text: "create missing tables there",
    group: "Data",
    type: "flag",
  },
  feed: {
    flag: "--feed",
    text: "run the feed of each journal, which enables its table's stream",
    group: "Data",
    type: "flag",
    serverOption: true,
  },
  entities: {
    flag: "--entities <file>",
    text: "module that exports entity definitions, whose states the console shows",
    group: "Data",
    type: "path",
    serverOption: true,
  },
  host: {
    flag: "--host <address>",
    text: "address to listen on",
    group: "Listeners",
    type: "text",
    default: "127.0.0.1",
    serverOption: true,
  },
  httpHost: {
    flag: "--http-host <address>",
    text: "address for the console and the HTTP APIs, if it differs from --host",
    group: "Listeners",
    type: "text",
    serverOption: true,
  },
  httpPort: {
    flag: "--port, --http-port <number>",
    text: "port for the console and the HTTP APIs",
    group: "Listeners",
    type: "port",
    default: 8025,
    serverOption: true,
  },
  dynamodbHost: {
    flag: "--dynamodb-host <address>",
    text: "address for the DynamoDB endpoint, if it differs from --host",
    group: "DynamoDB endpoint",
    type: "text",
    serverOption: true,
  },
  dynamodbPort: {
    flag: "--dynamodb-port <number>",
    text: "port for the DynamoDB endpoint",
    group: "DynamoDB endpoint",
    type: "port",
    default: 8000,
    serverOption: true,
  },
  dynamodb: {
    flag: "--no-dynamodb",
    text: "disable the DynamoDB endpoint",
    group: "DynamoDB endpoint",
    type: "switch",
    serverOption: true,
  },
  arnRegion: {
    flag: "--arn-region <name>",
    text: "region in the ARNs of new tables (us-east-1 if not set)",
    group: "DynamoDB endpoint",
    type: "text",
    serverOption: true,
  },
  accountId: {
    flag: "--account-id <digits>",
    text: "account in the ARNs of new tables (000000000000 if not set)",
    group: "DynamoDB endpoint",
    type: "text",
    serverOption: true,
  },
  authFile: {
    flag: "--auth-file <file>",
    text: "users of the console and the HTTP APIs: a file with one name:hash per line",
    group: "HTTP",
    type: "path",
    mailhog: "MH_AUTH_FILE",
  },
  tokenFile: {
    flag: "--token-file <file>",
    text: "tokens for the console and /api/v3: a file with one name:hash per line",
    group: "HTTP",
    type: "path",
  },
  tlsCert: {
    flag: "--tls-cert <file>",
    text: "certificate in PEM; serves the console and the HTTP APIs over HTTPS",
    group: "HTTP",
    type: "path",
  },
  tlsKey: { flag: "--tls-key <file>", text: "private key of --tls-cert in PEM", group: "HTTP", type: "path" },
  corsOrigin: {
    flag: "--cors-origin <origin>",
    text: "another origin whose pages may use MailHog's API, or *",
    group: "HTTP",
    type: "text",
    mailhog: "MH_CORS_ORIGIN",
    serverOption: true,
  },
  webPath: {
    flag: "--ui-web-path, --web-path <path>",
    text: "path prefix of the console and the HTTP APIs",
    group: "HTTP",
    type: "text",
    default: "",
    mailhog: "MH_UI_WEB_PATH",
    serverOption: true,
  },
  allowAnonymous: {
    flag: "--allow-anonymous",
    text: "allow non-loopback addresses without authentication",
    group: "Listeners",
    type: "flag",
    serverOption: true,
  },
  accessKeyId: {
    flag: "--access-key-id <id>",
    text: "access key that must sign DynamoDB requests",
    group: "DynamoDB endpoint",
    type: "text",
  },
  secretAccessKey: {
    flag: "--secret-access-key <secret>",
    text: "secret of --access-key-id",
    group: "DynamoDB endpoint",
    type: "text",
    secret: true,
  },
} as const;

/**
 * Every setting of a server, by its key in the configuration file. Flags, variables, checks, `tablekeep config`, the help and
 * the types below are derived from this table.
 */
export const settings: typeof commonSettings & typeof smtpSettings & typeof mqttSettings = {
  ...commonSettings,
  ...smtpSettings,
  ...mqttSettings,
};

/** The key of a setting. */
export type SettingKey = keyof typeof settings;

/** {@link settings} without the types of single settings. */
export const settingEntries: readonly (readonly [SettingKey, Setting])[] = entriesOf(settings);

/** The values that settings of each type have. */
type ValueOf<Type extends SettingType> = Type extends "flag" | "switch" | "choice"
  ? boolean
  : Type extends "port" | "number"
    ? number
    : string;

/** Settings of these types always have a value: `flag` and `choice` are off by default, `switch` is on. */
type AlwaysSet = { readonly default: unknown } | { readonly type: "flag" | "switch" | "choice" };

/** The value of each setting; undefined where nothing is set and there is no default. */
export type ServeSettings = {
  readonly [Key in SettingKey]: (typeof settings)[Key] extends AlwaysSet
    ? ValueOf<(typeof settings)[Key]["type"]>
    : ValueOf<(typeof settings)[Key]["type"]> | undefined;
};

/** The settings that are options of the server by the same name. */
export type ServerOptionKey = {
  [Key in SettingKey]: (typeof settings)[Key] extends { readonly serverOption: true } ? Key : never;
}[SettingKey];
