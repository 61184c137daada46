import type { Setting, SettingType } from "./setting.ts";

/**
 * Every setting of a server, by its key in the configuration file. Flags, variables, checks, `tablekeep config`, the help and
 * the types below are derived from this table.
 */
export const settings = {
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
  smtpHost: {
    flag: "--smtp-host <address>",
    text: "address for SMTP, if it differs from --host",
    group: "SMTP",
    type: "text",
    serverOption: true,
  },
  smtpPort: {
    flag: "--smtp-port <number>",
    text: "port for SMTP",
    group: "SMTP",
    type: "port",
    default: 1025,
    serverOption: true,
  },
  smtp: { flag: "--no-smtp", text: "disable SMTP", group: "SMTP", type: "switch", serverOption: true },
  hostname: {
    flag: "--hostname <name>",
    text: "host name that the server announces in SMTP",
    group: "SMTP",
    type: "text",
    default: "mailhog.example",
    mailhog: "MH_HOSTNAME",
  },
  smtpUsers: {
    flag: "--smtp-users <file>",
    text: "users who may send mail: a file with one name:hash per line",
    group: "SMTP",
    type: "path",
  },
  smtpCert: {
    flag: "--smtp-cert <file>",
    text: "certificate in PEM; enables STARTTLS",
    group: "SMTP",
    type: "path",
  },
  smtpKey: {
    flag: "--smtp-key <file>",
    text: "private key of --smtp-cert in PEM",
    group: "SMTP",
    type: "path",
  },
  smtpImplicitTls: {
    flag: "--smtp-implicit-tls",
    text: "start SMTP connections with TLS",
    group: "SMTP",
    type: "flag",
  },
  outgoingSmtp: {
    flag: "--outgoing-smtp <file>",
    text: "relays for releasing messages, in MailHog's JSON format",
    group: "SMTP",
    type: "path",
    mailhog: "MH_OUTGOING_SMTP",
  },
  inviteJim: {
    flag: "--invite-jim [boolean]",
    text: "inject SMTP faults from the start, as MailHog's Jim does",
    group: "SMTP faults",
    type: "choice",
    mailhog: "MH_INVITE_JIM",
  },
  jimAccept: {
    flag: "--jim-accept <chance>",
    text: "chance that a connection is accepted",
    group: "SMTP faults",
    type: "number",
    chaos: "acceptChance",
  },
  jimDisconnect: {
    flag: "--jim-disconnect <chance>",
    text: "chance that a connection is cut",
    group: "SMTP faults",
    type: "number",
    chaos: "disconnectChance",
  },
  jimLinkspeedAffect: {
    flag: "--jim-linkspeed-affect <chance>",
    text: "chance that a connection is slow",
    group: "SMTP faults",
    type: "number",
    chaos: "linkSpeedAffect",
  },
  jimLinkspeedMin: {
    flag: "--jim-linkspeed-min <bytes>",
    text: "lowest speed of a slow connection, in bytes per second",
    group: "SMTP faults",
    type: "number",
    chaos: "linkSpeedMin",
  },
  jimLinkspeedMax: {
    flag: "--jim-linkspeed-max <bytes>",
    text: "highest speed of a slow connection, in bytes per second",
    group: "SMTP faults",
    type: "number",
    chaos: "linkSpeedMax",
  },
  jimRejectSender: {
    flag: "--jim-reject-sender <chance>",
    text: "chance that a sender is rejected",
    group: "SMTP faults",
    type: "number",
    chaos: "rejectSenderChance",
  },
  jimRejectRecipient: {
    flag: "--jim-reject-recipient <chance>",
    text: "chance that a recipient is rejected",
    group: "SMTP faults",
    type: "number",
    chaos: "rejectRecipientChance",
  },
  jimRejectAuth: {
    flag: "--jim-reject-auth <chance>",
    text: "chance that authentication is rejected",
    group: "SMTP faults",
    type: "number",
    chaos: "rejectAuthChance",
  },
  jimSeed: {
    flag: "--jim-seed <text>",
    text: "seed; the same seed repeats the same faults",
    group: "SMTP faults",
    type: "text",
    chaos: "seed",
  },
  mqttHost: {
    flag: "--mqtt-host <address>",
    text: "address for MQTT, if it differs from --host",
    group: "MQTT",
    type: "text",
    serverOption: true,
  },
  mqttPort: {
    flag: "--mqtt-port <number>",
    text: "port for MQTT (device shadows)",
    group: "MQTT",
    type: "port",
    default: 1883,
    serverOption: true,
  },
  mqtt: { flag: "--no-mqtt", text: "disable MQTT", group: "MQTT", type: "switch", serverOption: true },
  mqttUsers: {
    flag: "--mqtt-users <file>",
    text: "users who may connect by MQTT: a file with one name:hash per line",
    group: "MQTT",
    type: "path",
  },
  mqttOwnThing: {
    flag: "--mqtt-own-thing",
    text: "limit each MQTT client to the thing named after its user",
    group: "MQTT",
    type: "flag",
  },
  mqttCert: {
    flag: "--mqtt-cert <file>",
    text: "certificate in PEM; starts MQTT connections with TLS",
    group: "MQTT",
    type: "path",
  },
  mqttKey: {
    flag: "--mqtt-key <file>",
    text: "private key of --mqtt-cert in PEM",
    group: "MQTT",
    type: "path",
  },
  mqttCa: {
    flag: "--mqtt-ca <file>",
    text: "CA certificates in PEM; clients may authenticate with a certificate whose common name is the user",
    group: "MQTT",
    type: "path",
  },
} as const;

/** MailHog's own names of settings that have other names here. They have no variable and no key in the file. */
export const mailhogSettings = {
  smtpBindAddr: {
    flag: "--smtp-bind-addr <host:port>",
    text: "same as --smtp-host and --smtp-port",
    group: "MailHog compatibility",
    type: "text",
    mailhog: "MH_SMTP_BIND_ADDR",
  },
  apiBindAddr: {
    flag: "--api-bind-addr <host:port>",
    text: "same as --http-host and --http-port",
    group: "MailHog compatibility",
    type: "text",
    mailhog: "MH_API_BIND_ADDR",
  },
  uiBindAddr: {
    flag: "--ui-bind-addr <host:port>",
    text: "same as --api-bind-addr; the console and the API share one port",
    group: "MailHog compatibility",
    type: "text",
    mailhog: "MH_UI_BIND_ADDR",
  },
  storage: {
    flag: "--storage <kind>",
    text: "accepted for compatibility; memory is the only value and has no effect",
    group: "MailHog compatibility",
    type: "text",
    mailhog: "MH_STORAGE",
  },
} as const;

/** The key of a setting. */
export type SettingKey = keyof typeof settings;

/** {@link settings} without the types of single settings. */
export const settingEntries: readonly (readonly [SettingKey, Setting])[] = entriesOf(settings);

/** MailHog's settings without the types of single settings. */
export const mailhogEntries: readonly (readonly [MailhogKey, Setting])[] = entriesOf(mailhogSettings);

function entriesOf<Key extends string>(
  table: Readonly<Record<Key, Setting>>,
): readonly (readonly [Key, Setting])[] {
  return Object.entries(table) as [Key, Setting][];
}

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

/** The key of a setting by MailHog's name. */
export type MailhogKey = keyof typeof mailhogSettings;
