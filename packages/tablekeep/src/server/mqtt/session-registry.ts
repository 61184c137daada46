import { randomUUID } from "node:crypto";
import type { CancelTimer, Clock, Logger } from "@tablekeep/core";
import type { Subscriptions } from "./delivery/subscriptions.ts";
import type { MqttLimits } from "./protocol/mqtt-limits.ts";
import type { MqttUser } from "./sessions/guard.ts";
import { MqttSession, type SessionIdentity, sessionKey, type TopicAccess } from "./sessions/mqtt-session.ts";
import { Outbox, QueuedBytes } from "./sessions/outbox.ts";
import type { SessionRecord, SessionStore, StoredSession } from "./sessions/session-store.ts";

/** Dependencies of the registry. */
export interface SessionRegistryOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: MqttLimits;
  readonly store: SessionStore;
  readonly subscriptions: Subscriptions;
  /** Called when a session ends permanently: it has its messages, and no subscriptions any more. */
  readonly onUnsubscribed: (session: MqttSession) => void;
  /** Called after that, without its messages. */
  readonly onDiscarded: (session: MqttSession) => void;
}

/** Names of clients in one line of the log. */
const loggedClients = 10;

/** The access of a client that may no longer connect. */
const noAccess: TopicAccess = {
  mayPublish: () => false,
  maySubscribe: () => false,
  mayReceive: () => false,
};

/** All sessions: of connected clients, and of disconnected ones that may reconnect. */
export class SessionRegistry {
  readonly #options: SessionRegistryOptions;
  readonly #sessions = new Map<string, MqttSession>();
  /** The timers of sessions without a connection, in the order in which these ended. */
  readonly #expiries = new Map<MqttSession, CancelTimer>();
  /** Restored sessions that ended while the server was down. */
  readonly #ended: MqttSession[] = [];
  readonly #queuedBytes: QueuedBytes;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
    this.#queuedBytes = new QueuedBytes(options.limits.allQueuedBytes);
  }

  get(key: string): MqttSession | undefined {
    return this.#sessions.get(key);
  }

  /** The session with a client id, of a connected client if there are several. */
  find(clientId: string): MqttSession | undefined {
    const found = [...this.#sessions.values()].filter(({ identity }) => identity.clientId === clientId);
    return found.find(({ client }) => client !== undefined) ?? found[0];
  }

  /** Continues a client's session, or starts one if it has none. */
  open(identity: SessionIdentity, expirySeconds: number): MqttSession {
    const known = this.#sessions.get(sessionKey(identity));
    if (known === undefined) return this.#add(randomUUID(), identity, expirySeconds);
    this.#expiries.get(known)?.();
    this.#expiries.delete(known);
    known.identity = identity;
    known.expirySeconds = expirySeconds;
    return known;
  }

  /** Keeps a session whose connection has ended until it expires. */
  async keep(session: MqttSession): Promise<void> {
    const { clock, limits } = this.#options;
    this.#expireAfter(session, session.expirySeconds * 1000);
    for (const [oldest] of this.#expiries) {
      if (this.#expiries.size <= limits.sessions) break;
      this.discard(oldest);
    }
    await this.save(session, clock.now());
  }

  discard(session: MqttSession): void {
    const { subscriptions, store, onUnsubscribed, onDiscarded } = this.#options;
    const { key } = session;
    if (this.#sessions.get(key) !== session) return;
    this.#sessions.delete(key);
    this.#expiries.get(session)?.();
    this.#expiries.delete(session);
    subscriptions.removeAll(session);
    onUnsubscribed(session);
    session.outbox.clear();
    if (session.outbox.isStored) store.removeSession(session.identity);
    onDiscarded(session);
  }

  /** Stores a session that lasts. */
  async save(session: MqttSession, endedAt?: number): Promise<void> {
    if (!session.outbox.isStored || this.#sessions.get(session.key) !== session) return;
    const { id, identity, expirySeconds } = session;
    const { clientId, userName } = identity;
    const record: SessionRecord = {
      ...(id !== undefined && { id }),
      clientId,
      userName,
      expirySeconds,
      endedAt,
      lastSent: session.outbox.lastSent,
      subscriptions: [...session.subscriptions],
    };
    await this.#options.store.saveSession(record);
  }

  /**
   * Continues stored sessions. A session whose client may no longer connect receives nothing until it expires, or until a later start
   * finds that its client may connect again. Other sessions lose the messages that their clients may no longer receive.
   */
  restore(sessions: readonly StoredSession[], accessOf: (user: MqttUser) => TopicAccess | undefined): void {
    const denied: string[] = [];
    for (const session of sessions) {
      const access = accessOf(session);
      if (access === undefined) denied.push(session.clientId);
      const restored = this.#restore(session, access ?? noAccess);
      if (access !== undefined) restored.outbox.dropUnless((topic) => access.mayReceive(topic));
    }
    // After all sessions are restored, because others get the messages of shared subscriptions.
    for (const session of this.#ended.splice(0)) this.discard(session);
    if (denied.length === 0) return;
    const clients = denied.slice(0, loggedClients);
    const what = "MQTT sessions receive nothing: their clients may no longer connect";
    this.#options.logger.warn(what, { count: denied.length, clients });
  }

  /** Adds a stored session. A session whose end is unknown ends now: the server ended before it could store that. */
  #restore(stored: StoredSession, access: TopicAccess): MqttSession {
    const { clock, subscriptions } = this.#options;
    const { clientId, userName, expirySeconds, endedAt, lastSent } = stored;
    const session = this.#add(stored.id, { clientId, userName, access }, expirySeconds);
    for (const [name, options] of stored.subscriptions) subscriptions.add(session, name, options);
    // Before a crash, all stored messages may have been sent.
    const lastStored = stored.messages.at(-1)?.order ?? 0;
    session.outbox.restore(
      stored.messages,
      endedAt === undefined ? Math.max(lastSent, lastStored) : lastSent,
    );
    const now = clock.now();
    const endsAt = (endedAt ?? now) + expirySeconds * 1000;
    this.#expireAfter(session, Math.max(0, endsAt - now));
    if (endsAt <= now) this.#ended.push(session);
    else if (endedAt === undefined) void this.save(session, now).catch(() => undefined);
    return session;
  }

  #add(id: string | undefined, identity: SessionIdentity, expirySeconds: number): MqttSession {
    const { clock, limits, logger, store } = this.#options;
    const outbox = new Outbox({
      clock,
      total: this.#queuedBytes,
      maxBytes: limits.queuedBytes,
      ...(expirySeconds > 0 && { store: store.outboxOf({ ...identity, id }) }),
      onDropped: (count) => logger.warn("MQTT messages dropped", { client: identity.clientId, count }),
    });
    const maxMessages = limits.unacknowledged;
    const session = new MqttSession({ id, identity, expirySeconds, outbox, maxMessages });
    this.#sessions.set(session.key, session);
    return session;
  }

  #expireAfter(session: MqttSession, ms: number): void {
    const cancel = this.#options.clock.after(ms, () => this.discard(session), { background: true });
    this.#expiries.set(session, cancel);
  }
}
