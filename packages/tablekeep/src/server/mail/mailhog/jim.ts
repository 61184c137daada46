import { type ChaosSettings, defaultChaosSettings } from "@tablekeep/mail";
import { HttpRefusal } from "../../http/http-refusal.ts";

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
    throw new HttpRefusal(400, "the body must be an object with settings of Jim");
  const given = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value as unknown]));
  const settings = Object.entries(names).map(([name, key]) => {
    const value = given.get(name.toLowerCase()) ?? 0;
    if (typeof value !== "number") throw new HttpRefusal(400, `${name} must be a number`);
    const isSpeed = key === "linkSpeedMin" || key === "linkSpeedMax";
    return [key, isSpeed && value === 0 ? defaultChaosSettings[key] : value];
  });
  const seed = given.get("seed");
  return {
    ...Object.fromEntries(settings),
    seed: seed === undefined ? undefined : String(seed),
  } as ChaosSettings;
}
