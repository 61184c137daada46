import { type ChaosSettings, defaultChaosSettings } from "@tablekeep/mail/smtp";
import { HttpError } from "../../http/http-route.ts";
import type { Relay } from "../../release/relays.ts";
import type { ReleaseRequest } from "../../release/releaser.ts";
import { badReleaseBody } from "./mailhog-answers.ts";

/** MailHog's name of each chaos setting. */
const names = {
  DisconnectChance: "disconnectChance",
  AcceptChance: "acceptChance",
  LinkSpeedAffect: "linkSpeedAffect",
  LinkSpeedMin: "linkSpeedMin",
  LinkSpeedMax: "linkSpeedMax",
  RejectSenderChance: "rejectSenderChance",
  RejectRecipientChance: "rejectRecipientChance",
  RejectAuthChance: "rejectAuthChance",
} as const satisfies Record<string, keyof ChaosSettings>;

/** Chaos settings in the format of MailHog's API; then the seed, which MailHog does not have. */
export function jimOf(settings: ChaosSettings): object {
  const shown = Object.entries(names).map(([name, key]) => [name, settings[key]]);
  return { ...Object.fromEntries(shown), ...(settings.seed !== undefined && { Seed: settings.seed }) };
}

/**
 * Parses chaos from a body of MailHog's API. Missing values are 0, as in MailHog, except for link speeds, where 0 is
 * meaningless. Names are case-insensitive, as in Go.
 */
export function parseJim(body: unknown): ChaosSettings {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new HttpError(400, "the body must be an object with Jim's settings");
  const members = new Map(
    Object.entries(body).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
  const settings = Object.entries(names).map(([name, key]) => {
    const value = members.get(name.toLowerCase()) ?? 0;
    if (typeof value !== "number") throw new HttpError(400, `${name} must be a number`);
    const isSpeed = key === "linkSpeedMin" || key === "linkSpeedMax";
    return [key, isSpeed && value === 0 ? defaultChaosSettings[key] : value];
  });
  const seed = members.get("seed");
  return {
    ...Object.fromEntries(settings),
    seed: seed === undefined ? undefined : String(seed),
  } as ChaosSettings;
}

/** Parses the body of MailHog's release. Names are case-insensitive, as in Go. */
export function parseRelease(body: unknown): ReleaseRequest {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw wrongBody();
  const members = new Map(
    Object.entries(body).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  );
  const text = (name: string): string => {
    const value = members.get(name) ?? "";
    // MailHog accepts a port only as a string; this also accepts a number.
    if (typeof value !== "string" && !(name === "port" && typeof value === "number")) throw wrongBody();
    return String(value);
  };
  if (members.get("save") === true)
    throw new HttpError(400, "relays are configured with --outgoing-smtp and cannot be saved over HTTP");
  const name = text("name");
  const relay = name === "" ? { host: text("host"), port: Number(text("port")) } : { name };
  return { relay, to: text("email") || undefined };
}

function wrongBody(): HttpError {
  return new HttpError(500, badReleaseBody);
}

/** A relay in the form of MailHog's API, without its password. */
export function relayJson({ name, host, port, username = "", mechanism, email = "" }: Relay): object {
  return {
    Name: name,
    Save: false,
    Email: email,
    Host: host,
    Port: String(port),
    Username: username,
    Password: "",
    Mechanism: mechanism === "CRAM-MD5" ? "CRAMMD5" : (mechanism ?? ""),
  };
}
