import type { Setting } from "./setting.ts";

/** Everything that can be said about a server, but for what only a file can say. */
export interface ServeSettings {
  readonly data: string;
  readonly memory: boolean;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly createTables: boolean;
  readonly host: string;
  readonly httpHost: string | undefined;
  readonly httpPort: number;
  readonly dynamodbHost: string | undefined;
  readonly dynamodbPort: number;
  readonly dynamodb: boolean;
  readonly arnRegion: string | undefined;
  readonly accountId: string | undefined;
  readonly authFile: string | undefined;
  readonly tokenFile: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly corsOrigin: string | undefined;
  readonly webPath: string;
  readonly allowAnonymous: boolean;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly smtpHost: string | undefined;
  readonly smtpPort: number;
  readonly smtp: boolean;
  readonly hostname: string;
  readonly smtpUsers: string | undefined;
  readonly smtpCert: string | undefined;
  readonly smtpKey: string | undefined;
  readonly smtpImplicitTls: boolean;
  readonly outgoingSmtp: string | undefined;
  readonly inviteJim: boolean;
  readonly jimAccept: number | undefined;
  readonly jimDisconnect: number | undefined;
  readonly jimLinkspeedAffect: number | undefined;
  readonly jimLinkspeedMin: number | undefined;
  readonly jimLinkspeedMax: number | undefined;
  readonly jimRejectSender: number | undefined;
  readonly jimRejectRecipient: number | undefined;
  readonly jimRejectAuth: number | undefined;
  readonly jimSeed: string | undefined;
  readonly mqttHost: string | undefined;
  readonly mqttPort: number;
  readonly mqtt: boolean;
  readonly mqttUsers: string | undefined;
  readonly mqttOwnThing: boolean;
  readonly mqttCert: string | undefined;
  readonly mqttCa: string | undefined;
  readonly mqttKey: string | undefined;
}

export type SettingKey = keyof ServeSettings;

/** Every setting by its name in the file. Flags, variables, checks and `tablekeep config` are made of this. */
export const settings: Readonly<Record<SettingKey, Setting>> = {
  data: {
    flag: "--data <folder>",
    text: "the folder that holds all data",
    type: "path",
    default: "./tablekeep-data",
  },
  memory: { flag: "--memory", text: "keep everything in memory, and forget it at the end", type: "flag" },
  endpoint: {
    flag: "--endpoint <url>",
    text: "keep all data on a server that speaks DynamoDB's protocol, instead of a folder",
    type: "text",
  },
  region: {
    flag: "--region <name>",
    text: "keep all data in DynamoDB on AWS, in this region",
    type: "text",
  },
  createTables: { flag: "--create-tables", text: "make the tables that are missing there", type: "flag" },
  host: { flag: "--host <address>", text: "the address to listen on", type: "text", default: "127.0.0.1" },
  httpHost: {
    flag: "--http-host <address>",
    text: "the address of the web page and the HTTP APIs, if it is another",
    type: "text",
  },
  httpPort: {
    flag: "--port, --http-port <number>",
    text: "the port of the web page and the HTTP APIs",
    type: "port",
    default: 8025,
  },
  dynamodbHost: {
    flag: "--dynamodb-host <address>",
    text: "the address of the DynamoDB endpoint, if it is another",
    type: "text",
  },
  dynamodbPort: {
    flag: "--dynamodb-port <number>",
    text: "the port of the DynamoDB endpoint",
    type: "port",
    default: 8000,
  },
  dynamodb: { flag: "--no-dynamodb", text: "serve no DynamoDB endpoint", type: "switch" },
  arnRegion: {
    flag: "--arn-region <name>",
    text: "the region in the ARNs of new tables (us-east-1 if it is not set)",
    type: "text",
  },
  accountId: {
    flag: "--account-id <digits>",
    text: "the account in the ARNs of new tables (000000000000 if it is not set)",
    type: "text",
  },
  authFile: {
    flag: "--auth-file <file>",
    text: "who may use the web page and the HTTP APIs: a file with a line name:hash each",
    type: "path",
    mailhog: "MH_AUTH_FILE",
  },
  tokenFile: {
    flag: "--token-file <file>",
    text: "whose tokens open the web page and our own API, too: a file with a line name:hash each",
    type: "path",
  },
  tlsCert: {
    flag: "--tls-cert <file>",
    text: "a certificate in PEM: with it the web page and the HTTP APIs are served by HTTPS",
    type: "path",
  },
  tlsKey: { flag: "--tls-key <file>", text: "its key in PEM", type: "path" },
  corsOrigin: {
    flag: "--cors-origin <origin>",
    text: "the one other origin whose pages may use MailHog's API",
    type: "text",
    mailhog: "MH_CORS_ORIGIN",
  },
  webPath: {
    flag: "--ui-web-path, --web-path <path>",
    text: "what the paths of the console and of the HTTP APIs begin with",
    type: "text",
    default: "",
    mailhog: "MH_UI_WEB_PATH",
  },
  allowAnonymous: {
    flag: "--allow-anonymous",
    text: "listen on an address that other machines reach, without any sign-in",
    type: "flag",
  },
  accessKeyId: {
    flag: "--access-key-id <id>",
    text: "the key that DynamoDB requests must be signed with",
    type: "text",
  },
  secretAccessKey: {
    flag: "--secret-access-key <secret>",
    text: "its secret",
    type: "text",
    secret: true,
  },
  smtpHost: { flag: "--smtp-host <address>", text: "the address of SMTP, if it is another", type: "text" },
  smtpPort: {
    flag: "--smtp-port <number>",
    text: "the port that receives mail by SMTP",
    type: "port",
    default: 1025,
  },
  smtp: { flag: "--no-smtp", text: "receive no mail by SMTP", type: "switch" },
  hostname: {
    flag: "--hostname <name>",
    text: "the name that the server gives itself in SMTP",
    type: "text",
    default: "mailhog.example",
    mailhog: "MH_HOSTNAME",
  },
  smtpUsers: {
    flag: "--smtp-users <file>",
    text: "who may send mail: a file with a line name:hash each",
    type: "path",
  },
  smtpCert: {
    flag: "--smtp-cert <file>",
    text: "a certificate in PEM: with it SMTP offers STARTTLS",
    type: "path",
  },
  smtpKey: { flag: "--smtp-key <file>", text: "its key in PEM", type: "path" },
  smtpImplicitTls: { flag: "--smtp-implicit-tls", text: "SMTP connections begin with TLS", type: "flag" },
  outgoingSmtp: {
    flag: "--outgoing-smtp <file>",
    text: "the relays that messages may be released to, as MailHog's JSON",
    type: "path",
    mailhog: "MH_OUTGOING_SMTP",
  },
  inviteJim: {
    flag: "--invite-jim [boolean]",
    text: "let SMTP misbehave from the start, as Jim makes it",
    type: "choice",
    mailhog: "MH_INVITE_JIM",
  },
  jimAccept: {
    flag: "--jim-accept <chance>",
    text: "Jim: the chance that a connection is accepted",
    type: "number",
  },
  jimDisconnect: {
    flag: "--jim-disconnect <chance>",
    text: "Jim: the chance that a connection is cut",
    type: "number",
  },
  jimLinkspeedAffect: {
    flag: "--jim-linkspeed-affect <chance>",
    text: "Jim: the chance that a connection is slow",
    type: "number",
  },
  jimLinkspeedMin: {
    flag: "--jim-linkspeed-min <bytes>",
    text: "Jim: the slowest speed, per second",
    type: "number",
  },
  jimLinkspeedMax: {
    flag: "--jim-linkspeed-max <bytes>",
    text: "Jim: the fastest of the slow speeds, per second",
    type: "number",
  },
  jimRejectSender: {
    flag: "--jim-reject-sender <chance>",
    text: "Jim: the chance that a sender is refused",
    type: "number",
  },
  jimRejectRecipient: {
    flag: "--jim-reject-recipient <chance>",
    text: "Jim: the chance that a recipient is refused",
    type: "number",
  },
  jimRejectAuth: {
    flag: "--jim-reject-auth <chance>",
    text: "Jim: the chance that signing in is refused",
    type: "number",
  },
  jimSeed: {
    flag: "--jim-seed <text>",
    text: "Jim: the same text gives the same trouble",
    type: "text",
  },
  mqttHost: { flag: "--mqtt-host <address>", text: "the address of MQTT, if it is another", type: "text" },
  mqttPort: {
    flag: "--mqtt-port <number>",
    text: "the port of MQTT, for device shadows",
    type: "port",
    default: 1883,
  },
  mqtt: { flag: "--no-mqtt", text: "serve no MQTT", type: "switch" },
  mqttUsers: {
    flag: "--mqtt-users <file>",
    text: "who may connect by MQTT: a file with a line name:hash each",
    type: "path",
  },
  mqttOwnThing: {
    flag: "--mqtt-own-thing",
    text: "an MQTT client reaches only the thing that bears its user's name",
    type: "flag",
  },
  mqttCert: {
    flag: "--mqtt-cert <file>",
    text: "a certificate in PEM: with it MQTT connections begin with TLS",
    type: "path",
  },
  mqttKey: { flag: "--mqtt-key <file>", text: "its key in PEM", type: "path" },
  mqttCa: {
    flag: "--mqtt-ca <file>",
    text: "authorities in PEM: an MQTT client with a certificate of theirs is the user that its common name says",
    type: "path",
  },
};

/** What the command line and MailHog's variables may say in MailHog's words, where we have others. */
export interface MailhogSettings {
  readonly smtpBindAddr: string | undefined;
  readonly apiBindAddr: string | undefined;
  readonly uiBindAddr: string | undefined;
  readonly storage: string | undefined;
}

/** They have neither a variable of ours nor a place in the file. */
export const mailhogSettings: Readonly<
  Record<keyof MailhogSettings, Setting & { readonly mailhog: string }>
> = {
  smtpBindAddr: {
    flag: "--smtp-bind-addr <host:port>",
    text: "MailHog's way to say --smtp-host and --smtp-port",
    type: "text",
    mailhog: "MH_SMTP_BIND_ADDR",
  },
  apiBindAddr: {
    flag: "--api-bind-addr <host:port>",
    text: "MailHog's way to say --http-host and --http-port",
    type: "text",
    mailhog: "MH_API_BIND_ADDR",
  },
  uiBindAddr: {
    flag: "--ui-bind-addr <host:port>",
    text: "the same as --api-bind-addr: the page and the API share one port",
    type: "text",
    mailhog: "MH_UI_BIND_ADDR",
  },
  storage: {
    flag: "--storage <kind>",
    text: "only memory is taken, and messages are kept with all other data all the same",
    type: "text",
    mailhog: "MH_STORAGE",
  },
};
