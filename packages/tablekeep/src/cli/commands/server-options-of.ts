import { readFileSync } from "node:fs";
import type { ChaosSettings } from "@tablekeep/mail/smtp";
import type { Certificate } from "../../server/options/option-checks.ts";
import type { ServerOptions } from "../../server/options/server-options.ts";
import type { MailConfig, ShadowConfig } from "../../server/options/store-configs.ts";
import { CliError, unreadableFile } from "../frame/cli-error.ts";
import { mailStoreOptions } from "../settings/mail-store-options.ts";
import type { ServeConfig } from "../settings/serve-config.ts";
import { longFlag } from "../settings/setting.ts";
import {
  type ServerOptionKey,
  type ServeSettings,
  type SettingKey,
  settingEntries,
  settings as table,
} from "../settings/settings.ts";

/** The options of the server, except the location of the data. Reads the files that settings name. */
export async function serverOptionsOf(config: ServeConfig): Promise<ServerOptions> {
  const { settings, stores } = config;
  const { readTokensFile, readUsersFile } = await import("../../server/auth/secret-files.ts");
  const { authFile, tokenFile } = settings;
  return {
    ...sameNamed(settings),
    ...(stores.journals && { journals: stores.journals }),
    mail: { ...(await mailOf(settings, mailStoreOptions(config))), ...(await chaosOf(settings)) },
    shadows: await shadowsOf(settings, stores.shadows),
    accessKeys: accessKeysOf(settings),
    users: authFile === undefined ? undefined : readUsersFile(authFile),
    tokens: tokenFile === undefined ? undefined : readTokensFile(tokenFile),
    certificate: certificateOf(settings, "tlsCert", "tlsKey"),
  };
}

/** The settings that are options of the server by the same name, if they have a value. */
function sameNamed(settings: ServeSettings): Partial<Pick<ServerOptions, ServerOptionKey>> {
  const values = settingEntries.flatMap(([key, { serverOption }]) =>
    serverOption && settings[key] !== undefined ? [[key, settings[key]]] : [],
  );
  return Object.fromEntries(values);
}

/** The keys that must sign DynamoDB requests. One without the other is an error. */
export function accessKeysOf(settings: ServeSettings): ServerOptions["accessKeys"] {
  const pair = pairOf(settings, "accessKeyId", "secretAccessKey", "set both keys or neither");
  return pair && { [pair[0]]: pair[1] };
}

async function mailOf(settings: ServeSettings, store: MailConfig["store"]): Promise<MailConfig> {
  const { readUsersFile } = await import("../../server/auth/secret-files.ts");
  const { readRelaysFile } = await import("../../server/release/relays.ts");
  const { readRulesFile } = await import("../../server/setting-files/recipient-rules.ts");
  const { readHooksFile } = await import("../../server/setting-files/mail-hooks-file.ts");
  const { readRelayRulesFile } = await import("../../server/setting-files/relay-rules.ts");
  const { smtpUsers, smtpImplicitTls, smtpStrict, outgoingSmtp, recipientRules, mailHooks } = settings;
  const { relayRules } = settings;
  const relays = outgoingSmtp === undefined ? undefined : readRelaysFile(outgoingSmtp);
  return {
    store,
    users: smtpUsers === undefined ? undefined : readUsersFile(smtpUsers),
    certificate: certificateOf(settings, "smtpCert", "smtpKey"),
    implicitTls: smtpImplicitTls,
    strict: smtpStrict,
    relays,
    relayRules: [
      ...relayRuleOf(settings, relays),
      ...(relayRules === undefined ? [] : readRelayRulesFile(relayRules)),
    ],
    inboxPorts: inboxPortsOf(settings),
    hooks: mailHooks === undefined ? undefined : readHooksFile(mailHooks),
    recipientRules: recipientRules === undefined ? undefined : readRulesFile(recipientRules),
  };
}

/** `--relay-matching` alone uses the only relay. */
function relayRuleOf(
  { relayAll, relayMatching }: ServeSettings,
  relays: MailConfig["relays"],
): NonNullable<MailConfig["relayRules"]> {
  if (relayAll === undefined && relayMatching === undefined) return [];
  const relay = relayAll ?? (relays?.size === 1 ? [...relays.keys()][0] : undefined);
  if (relay === undefined || !relays?.has(relay))
    throw new CliError(
      "CLI_OPTION_MISSING",
      "missing --relay-all: the name of a relay in the file of --outgoing-smtp",
    );
  return [{ relay, matching: relayMatching }];
}

/** `shop=2526,blog=2527` */
function inboxPortsOf({ inboxPorts }: ServeSettings): MailConfig["inboxPorts"] {
  if (inboxPorts === undefined) return undefined;
  const pairs = inboxPorts.split(",").map((pair) => {
    const [, inbox, port] = /^\s*([a-z0-9][a-z0-9._-]{0,62})=(\d{1,5})\s*$/.exec(pair) ?? [];
    if (inbox === undefined || Number(port) > 65_535)
      throw new CliError(
        "CLI_VALUE_INVALID",
        `--inbox-ports must be a list such as shop=2526,blog=2527, got ${JSON.stringify(pair)}`,
      );
    return [inbox, Number(port)] as const;
  });
  return Object.fromEntries(pairs);
}

/** The settings of SMTP's fault injection, and whether it is on from the start. */
async function chaosOf(settings: ServeSettings): Promise<Pick<MailConfig, "chaos" | "defaultChaos">> {
  const { defaultChaosSettings } = await import("@tablekeep/mail/smtp");
  const given = settingEntries.flatMap(([key, { chaos }]) =>
    chaos !== undefined && settings[key] !== undefined ? [[chaos, settings[key]]] : [],
  );
  const defaultChaos: ChaosSettings = { ...defaultChaosSettings, ...Object.fromEntries(given) };
  return { defaultChaos, chaos: settings.inviteJim ? defaultChaos : undefined };
}

/** The first store serves AWS's paths and MQTT. */
async function shadowsOf(
  settings: ServeSettings,
  stores: ServeConfig["stores"]["shadows"],
): Promise<ShadowConfig | false> {
  if (stores?.length === 0) return false;
  const { readTokensFile, readUsersFile } = await import("../../server/auth/secret-files.ts");
  const { readPoliciesFile } = await import("../../server/auth/iot-policies.ts");
  const { readShadowRulesFile } = await import("../../server/setting-files/shadow-rules.ts");
  const { readShadowSyncFile } = await import("../../server/setting-files/shadow-sync-file.ts");
  const { mqttUsers, mqttTokens, mqttOwnThing, mqttCa, mqttName, iotPolicies } = settings;
  const { shadowStream, shadowPoll, shadowSchemas, shadowRules, shadowSync } = settings;
  const [first, ...others] = stores ?? [];
  const history = historyOf(settings) ?? first?.store?.history;
  return {
    ...first,
    ...(history && { store: { ...first?.store, history } }),
    others,
    users: mqttUsers === undefined ? undefined : readUsersFile(mqttUsers),
    tokens: mqttTokens === undefined ? undefined : readTokensFile(mqttTokens),
    policies: iotPolicies === undefined ? undefined : readPoliciesFile(iotPolicies),
    schemas: shadowSchemas === undefined ? undefined : await schemasIn(shadowSchemas),
    rules: shadowRules === undefined ? undefined : readShadowRulesFile(shadowRules),
    sync: shadowSync === undefined ? undefined : readShadowSyncFile(shadowSync),
    ownThingOnly: mqttOwnThing,
    mqttName,
    stream: shadowStream,
    pollSeconds: shadowPoll,
    certificate: certificateOf(settings, "mqttCert", "mqttKey"),
    clientCa: mqttCa === undefined ? undefined : read(mqttCa, "mqttCa"),
  };
}

async function schemasIn(path: string) {
  const { readSchemasFile } = await import("../../server/setting-files/shadow-schemas.ts");
  return readSchemasFile(path);
}

/** The history of the first store; undefined if no setting enables it. */
function historyOf({ shadowHistory: keep, shadowHistoryDays: days }: ServeSettings) {
  if (keep === undefined && days === undefined) return undefined;
  if (keep !== undefined && !(Number.isSafeInteger(keep) && keep > 0))
    throw new CliError("CLI_VALUE_INVALID", `--shadow-history must be an integer from 1, got ${keep}`);
  if (days !== undefined && !(days > 0))
    throw new CliError("CLI_VALUE_INVALID", `--shadow-history-days must be greater than 0, got ${days}`);
  return { keep, maxAgeMs: days === undefined ? undefined : Math.ceil(days * 86_400_000) };
}

function certificateOf(settings: ServeSettings, cert: SettingKey, key: SettingKey): Certificate | undefined {
  const pair = pairOf(settings, cert, key, "set a certificate and its key");
  return pair && { cert: read(pair[0], cert), key: read(pair[1], key) };
}

/** Two settings that are valid only together. */
function pairOf(
  settings: ServeSettings,
  one: SettingKey,
  other: SettingKey,
  advice: string,
): readonly [string, string] | undefined {
  const values = [settings[one], settings[other]];
  if (values.every((value) => value === undefined)) return undefined;
  if (values.every((value) => value !== undefined)) return [String(values[0]), String(values[1])];
  const missing = longFlag(table[values[0] === undefined ? one : other].flag);
  throw new CliError("CLI_OPTION_MISSING", `missing ${missing}: ${advice}`);
}

/** Reads the file that a setting names. */
function read(path: string, key: SettingKey): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadableFile(path, error, longFlag(table[key].flag));
  }
}
