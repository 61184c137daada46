import type { Clock, Logger } from "@tablekeep/core";
import type { IConnectPacket } from "mqtt-packet";
import type { Rejection } from "./protocol/reason-codes.ts";
import { reasonText } from "./protocol/reason-codes.ts";
import type { MqttPeer } from "./sessions/guard.ts";

/** Lines per minute. Rejected clients try again, and there may be many of them. */
const maxLines = 10;
const windowMs = 60_000;

/** The length of a logged name: it comes from a client that is not trusted. */
const loggedCharacters = 128;

/** A rejected client, and the reason. */
export interface RejectedClient {
  /** The IP address. */
  readonly from: string;
  readonly reason: string;
  /** Names by which the client presents itself. */
  readonly names: Readonly<Record<string, string | undefined>>;
}

/** Logs clients that may not connect, at most ten per minute. The number of the others follows at the end of the minute. */
export class RejectionLog {
  readonly #clock: Clock;
  readonly #logger: Logger;
  #lines = 0;
  #omitted = 0;

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  add({ from, reason, names }: RejectedClient): void {
    if (this.#lines === 0) this.#clock.after(windowMs, () => this.#minuteEnded(), { background: true });
    if (this.#lines === maxLines) {
      this.#omitted++;
      return;
    }
    this.#lines++;
    const shown = Object.entries(names).flatMap(([key, name]) =>
      name === undefined || name === "" ? [] : [[key, name.slice(0, loggedCharacters)] as const],
    );
    this.#logger.warn("MQTT client rejected", { from, ...Object.fromEntries(shown), reason });
  }

  #minuteEnded(): void {
    if (this.#omitted > 0) this.#logger.warn("further MQTT clients rejected", { count: this.#omitted });
    this.#lines = 0;
    this.#omitted = 0;
  }
}

/** The sender of a CONNECT that is rejected. */
export function rejectedClient(
  { clientId: client, username }: IConnectPacket,
  { address: from, certificateName, httpUser }: MqttPeer,
  { rejectedWith }: Rejection,
): RejectedClient {
  const user = certificateName ?? username ?? httpUser;
  return { from, reason: reasonText(rejectedWith), names: { client, user } };
}
