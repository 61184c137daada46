import { createHash, randomUUID } from "node:crypto";
import type { Random } from "@tablekeep/core";
import { optionInvalid } from "../model/mail-error.ts";
import type { SmtpChaos } from "./dialogue/smtp-state.ts";

/** The faults of one connection. */
export interface ConnectionFate extends SmtpChaos {
  /** Whether the connection is accepted. */
  readonly accepted: boolean;
  /** Bytes per second, if the connection is slow. */
  readonly bytesPerSecond: number | undefined;
  /** Whether to disconnect now. Called for each command and each 16 KiB of a message. */
  disconnects(): boolean;
}

/** Deliberate faults, as MailHog's Jim produces them. */
export interface Chaos {
  /** The settings; undefined while chaos is off. */
  readonly settings: ChaosSettings | undefined;
  /** Applies settings from the next connection on. Throws `MAIL_OPTION_INVALID`. */
  start(settings: ChaosSettings): void;
  stop(): void;
  /**
   * Draws the faults of the next connection; undefined while chaos is off.
   *
   * @example
   * if (chaos.nextConnection()?.disconnects()) socket.destroy();
   */
  nextConnection(): ConnectionFate | undefined;
}

/**
 * Creates the faults of an SMTP server: off, or on if `settings` are passed.
 *
 * @example
 * const chaos = createChaos();
 * chaos.start({ ...defaultChaosSettings, rejectSenderChance: 1, seed: "1" });
 * chaos.stop();
 */
export function createChaos(settings?: ChaosSettings): Chaos {
  let current: ChaosSettings | undefined;
  let seed = "";
  let connections = 0;
  const start = (wanted: ChaosSettings): void => {
    current = checkChaosSettings(wanted);
    seed = wanted.seed ?? randomUUID();
    connections = 0;
  };
  if (settings !== undefined) start(settings);
  return {
    get settings() {
      return current;
    },
    start,
    stop() {
      current = undefined;
    },
    nextConnection() {
      return current && fateOf(current, `${seed}\0${connections++}`);
    },
  };
}

/**
 * Adds rejections of senders and recipients that depend on the message, as far as it is known: on the authenticated user and, for a
 * recipient, on its address. Each source of faults has one fate in a session.
 */
export function chaosByMessage(
  fate: SmtpChaos | undefined,
  chaosOf: (user: string | undefined, to: readonly string[]) => Chaos | undefined,
): SmtpChaos {
  const fates = new Map<Chaos, ConnectionFate | undefined>();
  const of = (user: string | undefined, to: readonly string[]) => {
    const chaos = chaosOf(user, to);
    if (chaos === undefined) return undefined;
    if (!fates.has(chaos)) fates.set(chaos, chaos.nextConnection());
    return fates.get(chaos);
  };
  return {
    rejectsSender: (user) => Boolean(fate?.rejectsSender() || of(user, [])?.rejectsSender()),
    rejectsRecipient: (user, address) =>
      Boolean(
        fate?.rejectsRecipient() || of(user, address === undefined ? [] : [address])?.rejectsRecipient(),
      ),
    rejectsSignIn: () => fate?.rejectsSignIn() ?? false,
  };
}

/** Each kind of fault has its own random numbers, so that one setting does not change the effect of another. */
function fateOf(settings: ChaosSettings, key: string): ConnectionFate {
  const draw = (name: string) => seededRandom(`${key}\0${name}`);
  const happens = (name: string, chance: number) => {
    const random = draw(name);
    return () => random() < chance;
  };
  const { linkSpeedMin, linkSpeedMax } = settings;
  const isSlow = happens("slow", settings.linkSpeedAffect)();
  return {
    accepted: happens("accept", settings.acceptChance)(),
    bytesPerSecond: isSlow ? linkSpeedMin + draw("speed")() * (linkSpeedMax - linkSpeedMin) : undefined,
    disconnects: happens("disconnect", settings.disconnectChance),
    rejectsSender: happens("sender", settings.rejectSenderChance),
    rejectsRecipient: happens("recipient", settings.rejectRecipientChance),
    rejectsSignIn: happens("auth", settings.rejectAuthChance),
  };
}

/** Which faults to produce: the settings of MailHog's Jim, and a seed. Chances are from 0 (never) to 1 (always). */
export interface ChaosSettings {
  /** The chance that a connection is accepted; others are closed without a reply. @default 0.99 */
  readonly acceptChance: number;
  /** The chance, at each command and each 16 KiB of a message, that the connection is closed. @default 0.005 */
  readonly disconnectChance: number;
  /** The chance that a connection is slow. @default 0.1 */
  readonly linkSpeedAffect: number;
  /** Bytes per second of the slowest connection. @default 1,024 */
  readonly linkSpeedMin: number;
  /** Bytes per second of the fastest of the slow connections. @default 10,240 */
  readonly linkSpeedMax: number;
  /** The chance that a sender is rejected. @default 0.05 */
  readonly rejectSenderChance: number;
  /** The chance that a recipient is rejected. @default 0.05 */
  readonly rejectRecipientChance: number;
  /** The chance that AUTH is rejected. @default 0.05 */
  readonly rejectAuthChance: number;
  /** With the same seed, the n-th connection has the same faults. @default a random seed */
  readonly seed?: string;
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

/** Throws `MAIL_OPTION_INVALID` for invalid settings. */
function checkChaosSettings(settings: ChaosSettings): ChaosSettings {
  for (const key of Object.keys(settings)) {
    if (!Object.hasOwn(defaultChaosSettings, key)) throw optionInvalid(key, "is not a chaos setting");
  }
  for (const key of chances) {
    const chance = settings[key];
    if (!(typeof chance === "number" && chance >= 0 && chance <= 1)) {
      throw optionInvalid(key, "must be a number from 0 to 1");
    }
  }
  for (const key of ["linkSpeedMin", "linkSpeedMax"] as const) {
    if (!(Number.isFinite(settings[key]) && settings[key] > 0)) {
      throw optionInvalid(key, "must be a number of bytes per second above 0");
    }
  }
  if (settings.linkSpeedMin > settings.linkSpeedMax) {
    throw optionInvalid("linkSpeedMin", "must not be above linkSpeedMax");
  }
  return settings;
}

/** Returns numbers that depend only on `key` and their position. Fast enough for one number per command; not for secrets. */
function seededRandom(key: string): Random {
  let drawn = 0;
  return () => {
    const digest = createHash("sha256").update(`${key}\0${drawn++}`).digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
}
