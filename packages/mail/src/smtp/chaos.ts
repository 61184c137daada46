import { randomUUID } from "node:crypto";
import { type ChaosSettings, checkChaosSettings } from "./chaos-settings.ts";
import { seededRandom } from "./seeded-random.ts";
import type { SmtpChaos } from "./smtp-session.ts";

/** What chaos has in store for one connection. */
export interface ConnectionFate extends SmtpChaos {
  /** Whether the connection is accepted. */
  readonly accepted: boolean;
  /** Bytes per second, if the connection is slow. */
  readonly bytesPerSecond: number | undefined;
  /** Asked at each command and each 16 KiB of a message: whether the connection ends here. */
  disconnects(): boolean;
}

/** Chaos on request: as MailHog's Jim, who comes when he is invited. */
export interface Chaos {
  /** The settings; undefined while there is no chaos. */
  readonly settings: ChaosSettings | undefined;
  /** Sets or replaces the settings, from the next connection on. Throws `MAIL_OPTION_INVALID`. */
  start(settings: ChaosSettings): void;
  stop(): void;
  /** The fate of the next connection; undefined while there is no chaos. */
  nextConnection(): ConnectionFate | undefined;
}

/** A switch for chaos; `settings` begins with some. */
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

/** Each kind of trouble draws from numbers of its own, so that one knob does not change what another one does. */
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
    refusesSender: happens("sender", settings.rejectSenderChance),
    refusesRecipient: happens("recipient", settings.rejectRecipientChance),
    refusesSignIn: happens("auth", settings.rejectAuthChance),
  };
}
