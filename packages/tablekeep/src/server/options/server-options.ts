import { resolve } from "node:path";
import { type Clock, type DynamoPort, type Logger, silentLogger, systemClock } from "@tablekeep/core";
import { defaultInbox, isInboxName } from "@tablekeep/mail";
import type { Tokens, Users } from "../auth/secret-files.ts";
import type { AccessKeys } from "../auth/verify-signature.ts";
import {
  type Certificate,
  checkAccessKeys,
  checkFolderOption,
  checkHost,
  checkOrigin,
  checkWebPath,
  checkWholeNumber,
  invalidOption,
  rejectUnknownOptions,
  secureContextOf,
  withoutUndefined,
} from "./option-checks.ts";
import type { MailConfig, ShadowConfig } from "./store-configs.ts";
import { defaultJournals, type JournalConfig } from "./store-configs.ts";

/** How to run a server. */
export interface ServerOptions {
  /** The folder for all data; created if missing. @default "./tablekeep-data" */
  readonly dataFolder?: string;
  /** Whether to keep all data in memory until the server stops. @default false */
  readonly memory?: boolean;
  /** The DynamoDB port of all stores; the server does not close it. @default the embedded engine in `dataFolder` */
  readonly port?: DynamoPort;
  /** The name of `port` in messages: a region, an address. @default "a port of the caller's" */
  readonly portName?: string;
  /** Whether to create missing tables in `port`; in a folder they are always created. @default false */
  readonly createTables?: boolean;
  /** The journals to serve. @default one named `journal`, with the command line's default tables */
  readonly journals?: readonly JournalConfig[];
  /**
   * Whether to run the feed of each journal, which enables the stream of its table. It exists when the server has started, unless creating it fails.
   * @default false: feeds can be read, and are run elsewhere or not at all
   */
  readonly feed?: boolean;
  /**
   * A module whose exports are entity definitions: the states of their entities can be read over HTTP, and the console shows them. Its code runs in a
   * thread. @default none
   */
  readonly entities?: string;
  /** The mail store and its users; false disables mail. @default a store with default options, without authentication */
  readonly mail?: MailConfig | false;
  /** The device shadows; false disables them. @default a store with default options, without authentication */
  readonly shadows?: ShadowConfig | false;
  /** The address to listen on. @default "127.0.0.1" */
  readonly host?: string;
  /** The port of the console and the HTTP APIs; 0 lets the system choose. @default 8025 */
  readonly httpPort?: number;
  /** The address of the console and the HTTP APIs. @default `host` */
  readonly httpHost?: string;
  /** Whether to serve DynamoDB's protocol on the data folder. @default true */
  readonly dynamodb?: boolean;
  /** The port of DynamoDB's protocol; 0 lets the system choose. @default 8000 */
  readonly dynamodbPort?: number;
  /** The address of the DynamoDB endpoint. @default `host` */
  readonly dynamodbHost?: string;
  /** The region in the ARNs of new tables of the embedded engine. ARNs of any region are accepted. @default "us-east-1" */
  readonly arnRegion?: string;
  /** The account in the same ARNs, twelve digits. ARNs of any account are accepted. @default "000000000000" */
  readonly accountId?: string;
  /** Whether to receive mail over SMTP. @default true */
  readonly smtp?: boolean;
  /** The port of SMTP; 0 lets the system choose. @default 1025 */
  readonly smtpPort?: number;
  /** The address of SMTP. @default `host` */
  readonly smtpHost?: string;
  /** The port of IMAP, on `host`; 0 lets the system choose. @default none: IMAP is not served */
  readonly imapPort?: number;
  /** Whether to serve shadows over MQTT. @default true */
  readonly mqtt?: boolean;
  /** The port of MQTT; 0 lets the system choose. @default 1883 */
  readonly mqttPort?: number;
  /** The address of MQTT. @default `host` */
  readonly mqttHost?: string;
  /** Users of the console and the HTTP APIs; `/healthz` and `/readyz` need no authentication. @default no authentication */
  readonly users?: Users;
  /** Tokens for `/api/v3` and the console. @default none */
  readonly tokens?: Tokens;
  /** Serves the console and the HTTP APIs over HTTPS. @default none: HTTP */
  readonly certificate?: Certificate;
  /** Another origin whose pages may use MailHog's API, or `*`. @default none */
  readonly corsOrigin?: string;
  /** The path prefix of the console, of `/api/v3` and of MailHog's API, such as `/mail`. @default "" */
  readonly webPath?: string;
  /**
   * Secret keys by access key id; DynamoDB requests must be signed with one of them. @default none: any credentials
   * are accepted
   */
  readonly accessKeys?: AccessKeys;
  /** Whether `host` may be a non-loopback address without authentication. @default false */
  readonly allowAnonymous?: boolean;
  /** Milliseconds that requests in flight have to finish when the server stops. @default 5,000 */
  readonly stopGraceMs?: number;
  /** Logger of the server. @default none */
  readonly logger?: Logger;
  /** @default the system clock */
  readonly clock?: Clock;
  /** Stops the server when aborted, or ends its start while that waits for tables behind `port`. @default none */
  readonly signal?: AbortSignal;
}

/** Options without a default. */
type Unset =
  | "port"
  | "entities"
  | "arnRegion"
  | "accountId"
  | "users"
  | "tokens"
  | "certificate"
  | "imapPort"
  | "corsOrigin"
  | "accessKeys"
  | "signal";

/** {@link ServerOptions} with every default filled in. */
export type ResolvedServerOptions = Readonly<Required<Omit<ServerOptions, Unset>>> &
  Pick<ServerOptions, Unset>;

const defaults: ResolvedServerOptions = {
  dataFolder: "./tablekeep-data",
  memory: false,
  port: undefined,
  portName: "a port of the caller's",
  createTables: false,
  journals: defaultJournals,
  feed: false,
  entities: undefined,
  mail: {},
  shadows: {},
  host: "127.0.0.1",
  httpPort: 8025,
  httpHost: "",
  dynamodb: true,
  dynamodbPort: 8000,
  dynamodbHost: "",
  arnRegion: undefined,
  accountId: undefined,
  smtp: true,
  smtpPort: 1025,
  smtpHost: "",
  imapPort: undefined,
  mqtt: true,
  mqttPort: 1883,
  mqttHost: "",
  users: undefined,
  tokens: undefined,
  certificate: undefined,
  corsOrigin: undefined,
  webPath: "",
  accessKeys: undefined,
  allowAnonymous: false,
  stopGraceMs: 5_000,
  logger: silentLogger,
  clock: systemClock,
  signal: undefined,
};

function checkEntities({ entities, journals }: ResolvedServerOptions): void {
  if (entities === undefined) return;
  if (entities === "") throw invalidOption("entities", "must be a non-empty path");
  const own = journals.find(({ journal }) => journal?.codecs !== undefined || journal?.events !== undefined);
  if (own !== undefined)
    throw invalidOption("entities", `is not possible with the codecs or the schema of journal ${own.name}`);
}

function checkShadows(shadows: ShadowConfig | false): void {
  if (shadows === false) return;
  const { ownThingOnly, users, tokens, clientCa, certificate, mqttName, pollSeconds } = shadows;
  if (pollSeconds !== undefined && !(pollSeconds > 0 && pollSeconds <= 86_400))
    throw invalidOption("pollSeconds", `must be a number above 0, at most 86400, got ${pollSeconds}`);
  if (pollSeconds !== undefined && shadows.stream === true)
    throw invalidOption(
      "pollSeconds",
      "is not possible with a stream: remove --shadow-poll or --shadow-stream",
    );
  if (mqttName !== undefined && !/^[\w.-]{1,64}$/.test(mqttName))
    throw invalidOption("mqttName", "must be 1 to 64 letters, digits or _ . -");
  if (ownThingOnly && users === undefined && tokens === undefined && clientCa === undefined)
    throw invalidOption("ownThingOnly", "requires users: set --mqtt-users, --mqtt-tokens or --mqtt-ca");
  if (clientCa !== undefined && certificate === undefined)
    throw invalidOption("clientCa", "requires TLS: set --mqtt-cert and --mqtt-key");
}

function checkMail(mail: MailConfig | false): void {
  if (mail === false) return;
  for (const [inbox, port] of Object.entries(mail.inboxPorts ?? {})) {
    if (!isInboxName(inbox) || inbox === defaultInbox)
      throw invalidOption("inboxPorts", `must have names of inboxes, got ${JSON.stringify(inbox)}`);
    checkWholeNumber(`inboxPorts.${inbox}`, port, 65_535);
    if (mail.store?.layout === "mhdynamo")
      throw invalidOption("inboxPorts", "is not possible: the layout mhdynamo has no inboxes");
  }
}

/** Throws for an invalid certificate before anything is opened. */
function checkCertificates({ certificate, mail, shadows }: ResolvedServerOptions): void {
  const ofShadows = shadows !== false &&
    shadows.certificate && { ca: shadows.clientCa, ...shadows.certificate };
  const all = [certificate, mail !== false && mail.certificate, ofShadows];
  for (const each of all) if (each) secureContextOf(each);
}

function requiresSignIn({ users, tokens, clientCa }: ShadowConfig): boolean {
  return users !== undefined || tokens !== undefined || clientCa !== undefined;
}

/** The listeners without authentication, by their hosts. */
function openListeners(options: ResolvedServerOptions): ReadonlyMap<string, readonly string[]> {
  const { users, tokens, dynamodb, port, accessKeys, mail, smtp, shadows, mqtt, imapPort } = options;
  const isOpen = {
    http: users === undefined && tokens === undefined,
    dynamodb: dynamodb && port === undefined && accessKeys === undefined,
    smtp: smtp && mail !== false && mail.users === undefined,
    imap: imapPort !== undefined && mail !== false && users === undefined && tokens === undefined,
    mqtt: mqtt && shadows !== false && !requiresSignIn(shadows),
  };
  const byHost = new Map<string, readonly string[]>();
  for (const name of ["http", "dynamodb", "smtp", "imap", "mqtt"] as const) {
    const host = name === "imap" ? options.host : options[`${name}Host`];
    if (isOpen[name]) byHost.set(host, [...(byHost.get(host) ?? []), name]);
  }
  return byHost;
}

/** Listeners without their own host use the common one. */
function withHosts(options: ResolvedServerOptions): ResolvedServerOptions {
  const { host, httpHost, dynamodbHost, smtpHost, mqttHost } = options;
  if (host === "") throw invalidOption("host", "must be a non-empty address, such as 127.0.0.1");
  return {
    ...options,
    httpHost: httpHost || host,
    dynamodbHost: dynamodbHost || host,
    smtpHost: smtpHost || host,
    mqttHost: mqttHost || host,
  };
}

/** Checks `options`, fills in the defaults and makes the folder's path absolute. */
export function resolveServerOptions(options: ServerOptions): ResolvedServerOptions {
  rejectUnknownOptions(options, defaults);
  const resolved = withHosts({ ...defaults, ...withoutUndefined(options) });
  checkWholeNumber("httpPort", resolved.httpPort, 65_535);
  checkWholeNumber("dynamodbPort", resolved.dynamodbPort, 65_535);
  checkWholeNumber("smtpPort", resolved.smtpPort, 65_535);
  checkWholeNumber("mqttPort", resolved.mqttPort, 65_535);
  checkWholeNumber("imapPort", resolved.imapPort ?? 0, 65_535);
  checkWholeNumber("stopGraceMs", resolved.stopGraceMs, 2 ** 31 - 1);
  checkAccessKeys(resolved.accessKeys);
  checkCertificates(resolved);
  checkEntities(resolved);
  checkMail(resolved.mail);
  checkShadows(resolved.shadows);
  checkWebPath(resolved.webPath);
  checkOrigin("corsOrigin", resolved.corsOrigin);
  if (!resolved.allowAnonymous)
    for (const [host, listeners] of openListeners(resolved)) checkHost(host, listeners);
  checkFolderOption("dataFolder", resolved.dataFolder);
  return Object.freeze({ ...resolved, dataFolder: resolve(resolved.dataFolder) });
}
