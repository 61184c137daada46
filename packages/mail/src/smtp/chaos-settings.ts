import { MailError } from "../mail-error.ts";

/** How a server that misbehaves on purpose does so: MailHog's Jim, with a seed. Chances are from 0 (never) to 1 (always). */
export interface ChaosSettings {
  /** The chance that a connection is accepted at all; others are closed without a word. @default 0.99 */
  readonly acceptChance: number;
  /** The chance, at each command and each 16 KiB of a message, that the connection is closed. @default 0.005 */
  readonly disconnectChance: number;
  /** The chance that a connection is slow. @default 0.1 */
  readonly linkSpeedAffect: number;
  /** Bytes per second of the slowest connection. @default 1,024 */
  readonly linkSpeedMin: number;
  /** Bytes per second of the fastest of the slow connections. @default 10,240 */
  readonly linkSpeedMax: number;
  /** The chance that a sender is refused. @default 0.05 */
  readonly rejectSenderChance: number;
  /** The chance that a recipient is refused. @default 0.05 */
  readonly rejectRecipientChance: number;
  /** The chance that AUTH is refused. @default 0.05 */
  readonly rejectAuthChance: number;
  /** The same seed gives the n-th connection the same fate. @default undefined: another one each time */
  readonly seed?: string | undefined;
}

export const defaultChaosSettings: ChaosSettings = {
  acceptChance: 0.99,
  disconnectChance: 0.005,
  linkSpeedAffect: 0.1,
  linkSpeedMin: 1_024,
  linkSpeedMax: 10_240,
  rejectSenderChance: 0.05,
  rejectRecipientChance: 0.05,
  rejectAuthChance: 0.05,
  seed: undefined,
};

const chances = [
  "acceptChance",
  "disconnectChance",
  "linkSpeedAffect",
  "rejectSenderChance",
  "rejectRecipientChance",
  "rejectAuthChance",
] as const;

/** Throws `MAIL_OPTION_INVALID` for settings that make no sense. */
export function checkChaosSettings(settings: ChaosSettings): ChaosSettings {
  for (const key of Object.keys(settings)) {
    if (!Object.hasOwn(defaultChaosSettings, key)) throw invalid(key, "there is no such setting of chaos");
  }
  for (const key of chances) {
    const chance = settings[key];
    if (!(typeof chance === "number" && chance >= 0 && chance <= 1)) {
      throw invalid(key, "it must be a number from 0 to 1");
    }
  }
  for (const key of ["linkSpeedMin", "linkSpeedMax"] as const) {
    if (!(Number.isFinite(settings[key]) && settings[key] > 0)) {
      throw invalid(key, "it must be a number of bytes per second above 0");
    }
  }
  if (settings.linkSpeedMin > settings.linkSpeedMax) {
    throw invalid("linkSpeedMin", "it must not be above linkSpeedMax");
  }
  return settings;
}

function invalid(option: string, reason: string): MailError {
  return new MailError("MAIL_OPTION_INVALID", `option ${option}: ${reason}`, { option, reason });
}
