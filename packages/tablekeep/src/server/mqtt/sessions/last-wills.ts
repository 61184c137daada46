import type { CancelTimer, Clock, Logger } from "@tablekeep/core";
import type { MqttMessage } from "../protocol/mqtt-message.ts";
import type { LastWill } from "./connect-request.ts";
import { type SessionIdentity, sessionKey } from "./mqtt-session.ts";
import type { SessionStore, WillRecord } from "./session-store.ts";

/** Dependencies of the last wills. */
export interface LastWillsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Pick<SessionStore, "saveWill" | "removeWill">;
  /** Sends a message to its subscribers. Resolves once it is stored for persistent sessions. */
  readonly publish: (message: MqttMessage) => Promise<unknown> | undefined;
  /** Whether a client may publish its will. AWS: a last will on a reserved topic is ignored. */
  readonly isAllowed: (identity: SessionIdentity, message: MqttMessage) => boolean;
}

/** A will whose connection has ended. */
interface PendingWill extends WillRecord {
  readonly cancel: CancelTimer;
  /** Whether the connection ended with the server. */
  readonly isRestored: boolean;
}

/** The session of a will. */
interface WillOwner {
  readonly identity: SessionIdentity;
  readonly expirySeconds: number;
}

/**
 * The last wills of clients. A will is stored from CONNECT until the client disconnects or the will is published, so that it is published
 * after a crash of the server as well.
 */
export class LastWills {
  readonly #options: LastWillsOptions;
  /** The wills of connected clients, by session. */
  readonly #held = new Map<string, LastWill>();
  readonly #pending = new Map<string, PendingWill>();

  constructor(options: LastWillsOptions) {
    this.#options = options;
  }

  /** Schedules a stored will: its client has until `graceMs` from now to come back, or longer if the will has a delay. */
  restore(record: WillRecord, graceMs: number): void {
    const { clock } = this.#options;
    const { endedAt = clock.now(), will } = record;
    const waitMs = Math.max(graceMs, endedAt + will.delaySeconds * 1000 - clock.now());
    this.#schedule({ ...record, endedAt }, waitMs, true);
  }

  /** Removes a stored will whose client may no longer connect. */
  drop(record: WillRecord): void {
    this.#options.store.removeWill(record);
  }

  /** Called when a client connects, before its earlier session is discarded. A restored will is not published: its client is back. */
  connecting(identity: SessionIdentity): void {
    const key = sessionKey(identity);
    const pending = this.#pending.get(key);
    if (pending?.isRestored !== true) return;
    this.#cancel(identity);
    this.#held.set(key, pending.will);
  }

  /** Replaces the will of a client that connects. Resolves once it is stored. */
  async connected(identity: SessionIdentity, will: LastWill | undefined): Promise<void> {
    const { store, isAllowed } = this.#options;
    const hadOne = this.#cancel(identity);
    if (will !== undefined && isAllowed(identity, will.message)) {
      this.#held.set(sessionKey(identity), will);
      await store.saveWill({ ...nameOf(identity), will });
    } else if (hadOne) store.removeWill(identity);
  }

  /** Called when the connection of a client ends: publishes its will, at once or after its delay, unless `isDropped`. Returns whether it is published. */
  ended({ identity, expirySeconds }: WillOwner, { isDropped }: { readonly isDropped: boolean }): boolean {
    const { store, clock } = this.#options;
    const key = sessionKey(identity);
    const will = this.#held.get(key);
    this.#held.delete(key);
    if (will === undefined) return false;
    if (isDropped) {
      store.removeWill(identity);
      return false;
    }
    const delaySeconds = Math.min(will.delaySeconds, expirySeconds);
    const record = { ...nameOf(identity), will: { ...will, delaySeconds }, endedAt: clock.now() };
    if (delaySeconds === 0) this.#publish(record);
    else {
      this.#schedule(record, delaySeconds * 1000, false);
      store.saveWill(record).catch((error: unknown) => this.#notStored(record, error));
    }
    return true;
  }

  /** Publishes the pending will of a session that is discarded, if there is one. */
  publishNow(identity: SessionIdentity): void {
    const pending = this.#pending.get(sessionKey(identity));
    if (pending === undefined) return;
    pending.cancel();
    this.#publish(pending);
  }

  #schedule(record: WillRecord, waitMs: number, isRestored: boolean): void {
    const cancel = this.#options.clock.after(waitMs, () => this.#publish(record), { background: true });
    this.#pending.set(sessionKey(record), { ...record, cancel, isRestored });
  }

  /** The will is removed once its message is stored: after a crash in between it is published again. */
  #publish(record: WillRecord): void {
    const { clock, publish, store } = this.#options;
    const { message, expirySeconds } = record.will;
    const key = sessionKey(record);
    this.#pending.delete(key);
    const expiresAt = expirySeconds === undefined ? undefined : clock.now() + expirySeconds * 1000;
    const stored = publish({ ...message, ...(expiresAt !== undefined && { expiresAt }) });
    Promise.resolve(stored)
      .then(() => {
        // The client may have connected again with another will.
        if (!this.#held.has(key) && !this.#pending.has(key)) store.removeWill(record);
      })
      .catch((error: unknown) => this.#notStored(record, error));
  }

  /** Returns whether there was an unpublished will. */
  #cancel(identity: SessionIdentity): boolean {
    const key = sessionKey(identity);
    const pending = this.#pending.get(key);
    pending?.cancel();
    this.#pending.delete(key);
    return this.#held.delete(key) || pending !== undefined;
  }

  #notStored({ clientId, will }: WillRecord, error: unknown): void {
    const { topic } = will.message;
    this.#options.logger.error("could not store an MQTT last will", { client: clientId, topic, error });
  }
}

function nameOf({ clientId, userName }: SessionIdentity): Pick<SessionIdentity, "clientId" | "userName"> {
  return { clientId, ...(userName !== undefined && { userName }) };
}
