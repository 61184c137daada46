import { readFileSync } from "node:fs";
import type { Certificate } from "../../server/options/option-checks.ts";
import type { ServerOptions } from "../../server/options/server-options.ts";
import type { MailConfig, ShadowConfig } from "../../server/options/store-configs.ts";
import { CliError } from "../frame/cli-error.ts";
import { longFlag } from "../settings/flag-layer.ts";
import type { ServeConfig } from "../settings/serve-config.ts";
import { settings as all, type ServeSettings, type SettingKey } from "../settings/settings.ts";

/** What the server takes, but for where the data is. Reads the files that settings name. */
export async function serverOptionsOf({ settings, stores }: ServeConfig): Promise<ServerOptions> {
  const { readUsersFile } = await import("../../server/auth/secret-files.ts");
  const { readTokensFile } = await import("../../server/auth/secret-files.ts");
  const { host, authFile, tokenFile } = settings;
  return {
    host,
    httpHost: settings.httpHost ?? host,
    httpPort: settings.httpPort,
    dynamodb: settings.dynamodb,
    dynamodbHost: settings.dynamodbHost ?? host,
    dynamodbPort: settings.dynamodbPort,
    arnRegion: settings.arnRegion,
    accountId: settings.accountId,
    ...(stores.journals && { journals: stores.journals }),
    mail: { ...(await mailOf(settings, stores.mail)), ...(await chaosOf(settings)) },
    smtp: settings.smtp,
    smtpHost: settings.smtpHost ?? host,
    smtpPort: settings.smtpPort,
    shadows: await shadowsOf(settings, stores.shadows),
    mqtt: settings.mqtt,
    mqttHost: settings.mqttHost ?? host,
    mqttPort: settings.mqttPort,
    accessKeys: accessKeysOf(settings),
    users: authFile === undefined ? undefined : readUsersFile(authFile),
    tokens: tokenFile === undefined ? undefined : readTokensFile(tokenFile),
    certificate: certificateOf(settings, "tlsCert", "tlsKey"),
    corsOrigin: settings.corsOrigin,
    webPath: settings.webPath,
    allowAnonymous: settings.allowAnonymous,
  };
}

/** The keys that DynamoDB requests must be signed with; one without the other is refused. */
export function accessKeysOf(settings: ServeSettings): ServerOptions["accessKeys"] {
  const pair = pairOf(settings, "accessKeyId", "secretAccessKey", "give both keys, or none");
  return pair && { [pair[0]]: pair[1] };
}

async function mailOf(settings: ServeSettings, store: MailConfig["store"]): Promise<MailConfig> {
  const { readUsersFile } = await import("../../server/auth/secret-files.ts");
  const { readRelaysFile } = await import("../../server/release/relays.ts");
  const { hostname, smtpUsers, smtpImplicitTls, outgoingSmtp } = settings;
  return {
    store: { hostname, ...store },
    users: smtpUsers === undefined ? undefined : readUsersFile(smtpUsers),
    certificate: certificateOf(settings, "smtpCert", "smtpKey"),
    implicitTls: smtpImplicitTls,
    relays: outgoingSmtp === undefined ? undefined : readRelaysFile(outgoingSmtp),
  };
}

/** What trouble is like, and whether it is asked for from the start. */
async function chaosOf(settings: ServeSettings): Promise<Pick<MailConfig, "chaos" | "defaultChaos">> {
  const { defaultChaosSettings: defaults } = await import("@tablekeep/mail");
  const defaultChaos = {
    acceptChance: settings.jimAccept ?? defaults.acceptChance,
    disconnectChance: settings.jimDisconnect ?? defaults.disconnectChance,
    linkSpeedAffect: settings.jimLinkspeedAffect ?? defaults.linkSpeedAffect,
    linkSpeedMin: settings.jimLinkspeedMin ?? defaults.linkSpeedMin,
    linkSpeedMax: settings.jimLinkspeedMax ?? defaults.linkSpeedMax,
    rejectSenderChance: settings.jimRejectSender ?? defaults.rejectSenderChance,
    rejectRecipientChance: settings.jimRejectRecipient ?? defaults.rejectRecipientChance,
    rejectAuthChance: settings.jimRejectAuth ?? defaults.rejectAuthChance,
    seed: settings.jimSeed,
  };
  return { defaultChaos, chaos: settings.inviteJim ? defaultChaos : undefined };
}

/** The first store is the one that AWS's paths and MQTT lead to. */
async function shadowsOf(
  settings: ServeSettings,
  stores: ServeConfig["stores"]["shadows"],
): Promise<ShadowConfig | false> {
  if (stores?.length === 0) return false;
  const { readUsersFile } = await import("../../server/auth/secret-files.ts");
  const { mqttUsers, mqttOwnThing, mqttCa } = settings;
  const [first, ...others] = stores ?? [];
  return {
    ...first,
    others,
    users: mqttUsers === undefined ? undefined : readUsersFile(mqttUsers),
    ownThingOnly: mqttOwnThing,
    certificate: certificateOf(settings, "mqttCert", "mqttKey"),
    clientCa: mqttCa === undefined ? undefined : read(mqttCa),
  };
}

function certificateOf(settings: ServeSettings, cert: SettingKey, key: SettingKey): Certificate | undefined {
  const pair = pairOf(settings, cert, key, "give a certificate and its key");
  return pair && { cert: read(pair[0]), key: read(pair[1]) };
}

/** Two settings that mean something only together. */
function pairOf(
  settings: ServeSettings,
  one: SettingKey,
  other: SettingKey,
  advice: string,
): readonly [string, string] | undefined {
  const values = [settings[one], settings[other]];
  if (values.every((value) => value === undefined)) return undefined;
  if (values.every((value) => value !== undefined)) return [String(values[0]), String(values[1])];
  const missing = longFlag(all[values[0] === undefined ? one : other].flag);
  throw new CliError("CLI_OPTION_MISSING", `${missing} is missing: ${advice}`);
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${path}: ${(error as Error).message}`, error);
  }
}
