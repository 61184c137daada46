import { type ChaosSettings, defaultChaosSettings } from "@tablekeep/mail/smtp";
import { HttpError } from "../../http/http-route.ts";
import type { Relay } from "../../release/relays.ts";
import type { ReleaseRequest } from "../../release/releaser.ts";
import { badReleaseBody } from "./mailhog-answers.ts";

/** What MailHog calls each setting of chaos. */
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

/** Chaos as MailHog's API shows it; a seed, which MailHog has not, comes last. */
export function jimOf(settings: ChaosSettings): object {
  const shown = Object.entries(names).map(([name, key]) => [name, settings[key]]);
  return { ...Object.fromEntries(shown), ...(settings.seed !== undefined && { Seed: settings.seed }) };
}

/**
 * Chaos from a body of MailHog's API. What is left out is 0, as there, but for link speeds, of which 0 means nothing.
 * Names count in any case, as in Go.
 */
export function parseJim(body: unknown): ChaosSettings {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new HttpError(400, "the body must be an object with Jim's settings");
  const given = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value as unknown]));
  const settings = Object.entries(names).map(([name, key]) => {
    const value = given.get(name.toLowerCase()) ?? 0;
    if (typeof value !== "number") throw new HttpError(400, `${name} must be a number`);
    const isSpeed = key === "linkSpeedMin" || key === "linkSpeedMax";
    return [key, isSpeed && value === 0 ? defaultChaosSettings[key] : value];
  });
  const seed = given.get("seed");
  return {
    ...Object.fromEntries(settings),
    seed: seed === undefined ? undefined : String(seed),
  } as ChaosSettings;
}

/** Understands the body of MailHog's release. Names count in any case, as in Go. */
export function parseRelease(body: unknown): ReleaseRequest {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw wrongBody();
  const given = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value as unknown]));
  const text = (name: string): string => {
    const value = given.get(name) ?? "";
    // MailHog takes a port as a string only; a number says the same.
    if (typeof value !== "string" && !(name === "port" && typeof value === "number")) throw wrongBody();
    return String(value);
  };
  if (given.get("save") === true)
    throw new HttpError(400, "relays are configured with --outgoing-smtp and cannot be saved over HTTP");
  const name = text("name");
  const relay = name === "" ? { host: text("host"), port: Number(text("port")) } : { name };
  return { relay, to: text("email") || undefined };
}

function wrongBody(): HttpError {
  return new HttpError(500, badReleaseBody);
}

/** A relay as MailHog shows it. Its password stays here. */
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
