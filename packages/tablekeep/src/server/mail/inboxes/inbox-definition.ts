import { isIP } from "node:net";
import { type Item, isTablekeepError } from "@tablekeep/core";
import { isInboxName, mailTableSpec } from "@tablekeep/mail";
import { type ChaosSettings, createChaos, defaultChaosSettings } from "@tablekeep/mail/smtp";
import { tokenHash } from "../../auth/secret-files.ts";
import { HttpError } from "../../http/http-route.ts";
import type { ListenTarget } from "../../listening/listener.ts";

/** Selects messages for an inbox: all given conditions must hold. `*` in a pattern matches any characters. */
export interface InboxRule {
  /** A pattern for the authenticated user. */
  readonly user?: string;
  /** A pattern for one of the envelope's recipients. */
  readonly to?: string;
  /** The name of a header and a pattern for its value: `X-Project: shop*`. */
  readonly header?: string;
  /** The client's address, or a network: `10.0.0.0/8`. */
  readonly address?: string;
  /** The port of the server that the client is connected to. */
  readonly port?: number;
}

/** The settings of an inbox. */
export interface InboxDefinition {
  readonly name: string;
  readonly rules: readonly InboxRule[];
  /** The hash of the token that grants access to this inbox; without the token only users have access. @default none */
  readonly tokenHash?: string;
  /** Days after which a message expires. @default as in the default inbox */
  readonly ttlDays?: number;
  /** Maximum number of messages: the oldest beyond it are deleted. @default as in the default inbox */
  readonly maxMessages?: number;
  /** Maximum number of messages: further ones are rejected with 452. @default no limit */
  readonly quota?: number;
  /** SMTP faults for messages to this inbox. @default none */
  readonly chaos?: ChaosSettings;
}

const ruleFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  user: isText,
  to: isText,
  header: (value) => isText(value) && /^[!-9;-~]{1,126}:/.test(value as string),
  address: (value) => isText(value) && networkOf(value as string) !== undefined,
  port: (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536,
};

/** The addresses that begin with the same bits. */
export interface Network {
  readonly base: string;
  readonly bits: number;
  readonly family: "ipv4" | "ipv6";
}

/** The network of a string such as `10.0.0.0/8` or `10.1.2.3`; undefined if it is neither. */
export function networkOf(text: string): Network | undefined {
  const [, base = "", digits] = /^([0-9a-f.:]{2,45})(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  if (!isIP(base)) return undefined;
  const family = isIP(base) === 4 ? "ipv4" : "ipv6";
  const size = family === "ipv4" ? 32 : 128;
  const bits = Number(digits ?? size);
  return bits > size ? undefined : { base, bits, family };
}

const maxRules = 100;

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= 512;
}

/** Parses the settings of an inbox from a request. */
export function parseDefinition(name: string, body: unknown): InboxDefinition {
  if (!isInboxName(name)) throw new HttpError(400, `invalid inbox name: ${JSON.stringify(name)}`);
  const given = recordOf(body ?? {}, "the body");
  const { token, rules = [], ttlDays, maxMessages, quota, chaos, ...unknown } = given;
  const [other] = Object.keys(unknown);
  if (other !== undefined) throw new HttpError(400, `unknown setting ${other}`);
  if (token !== undefined && !(isText(token) && /^[\w.~+/=-]{8,}$/.test(String(token))))
    throw new HttpError(400, "token must have at least 8 characters of a bearer token");
  if (!Array.isArray(rules) || rules.length > maxRules)
    throw new HttpError(400, `rules must be a list of at most ${maxRules}`);
  return withoutUndefined({
    name,
    rules: rules.map(parseRule),
    tokenHash: token === undefined ? undefined : tokenHash(String(token)),
    ...retentionOf({ ttlDays, maxMessages }),
    quota: quota === undefined ? undefined : countOf(quota, "quota"),
    chaos: chaos === undefined ? undefined : parseChaos(chaos),
  });
}

function parseRule(rule: unknown): InboxRule {
  const given = recordOf(rule, "a rule");
  if (Object.keys(given).length === 0) throw new HttpError(400, "a rule must have a condition");
  for (const [field, value] of Object.entries(given)) {
    const isValid = Object.hasOwn(ruleFields, field) ? ruleFields[field] : undefined;
    if (isValid === undefined) throw new HttpError(400, `unknown condition ${field}`);
    if (!isValid(value)) throw new HttpError(400, `invalid value for the condition ${field}`);
  }
  return given as InboxRule;
}

/** The store checks these itself when it is opened. */
function retentionOf(
  given: Readonly<Record<string, unknown>>,
): Pick<InboxDefinition, "ttlDays" | "maxMessages"> {
  try {
    mailTableSpec(given);
  } catch (error) {
    throw isTablekeepError(error) ? new HttpError(400, error.message) : error;
  }
  return given;
}

function countOf(value: unknown, name: string): number {
  if (!Number.isSafeInteger(value) || Number(value) < 1)
    throw new HttpError(400, `${name} must be an integer of at least 1`);
  return Number(value);
}

function parseChaos(value: unknown): ChaosSettings {
  const settings = { ...defaultChaosSettings, ...recordOf(value, "chaos") };
  try {
    createChaos(settings);
  } catch (error) {
    throw isTablekeepError(error) ? new HttpError(400, error.message) : error;
  }
  return settings;
}

function recordOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new HttpError(400, `${what} must be an object`);
}

function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value;
}

/** A definition for clients: without the hash of the token. */
export function definitionJson({ tokenHash: hash, ...definition }: InboxDefinition): object {
  return { ...definition, token: hash !== undefined };
}

/** A definition as an attribute of its item. */
export function writeDefinition(definition: InboxDefinition): Item {
  return { settings: { S: JSON.stringify(definition) } };
}

/** The definition of an item. An inbox that exists only because it has messages has no settings. */
export function readDefinition(item: Item): InboxDefinition {
  const text = item["settings"]?.S;
  const name = item["sk"]?.S ?? "";
  return text === undefined ? { name, rules: [] } : { ...(JSON.parse(text) as InboxDefinition), name };
}

/** An SMTP listener for one inbox. */
export interface InboxListenTarget extends ListenTarget {
  readonly inbox: string;
}

/** The SMTP listeners of inboxes with their own ports. */
export function inboxListenTargets(
  ports: Readonly<Record<string, number>> = {},
  host: string,
): readonly InboxListenTarget[] {
  return Object.entries(ports).map(([inbox, port]) => ({
    inbox,
    listener: `smtp:${inbox}`,
    host,
    port,
    portFlag: "--inbox-ports",
  }));
}
