import type { Duplex } from "node:stream";
import type { Clock, Logger } from "@tablekeep/core";
import type { IConnectPacket, IPublishPacket, Packet } from "mqtt-packet";
import type { ConnectionEnd, ConnectionListener } from "./connection-listener.ts";
import { MessageRouter } from "./delivery/message-router.ts";
import type { RetainedMessages } from "./delivery/retained-messages.ts";
import { type ClientBroker, MqttClient } from "./mqtt-client.ts";
import { MqttConnection, UnsentBytes } from "./protocol/mqtt-connection.ts";
import { type MqttLimits, mqttLimits } from "./protocol/mqtt-limits.ts";
import type { MqttMessage } from "./protocol/mqtt-message.ts";
import { reason, Violation } from "./protocol/reason-codes.ts";
import { type RejectionLog, rejectedClient } from "./rejection-log.ts";
import { ServiceRequests, type TopicRule, type TopicService } from "./requests/topic-service.ts";
import { SessionRegistry } from "./session-registry.ts";
import {
  type AcceptedClient,
  acceptance,
  acceptClient,
  firstPacket,
  rejection,
} from "./sessions/connect-request.ts";
import type { MqttGuard, MqttPeer, MqttUser } from "./sessions/guard.ts";
import { LastWills } from "./sessions/last-wills.ts";
import { type MqttSession, mayPublish, type Subscription, sessionKey } from "./sessions/mqtt-session.ts";
import { noSessionStore, type SessionStore } from "./sessions/session-store.ts";

/** Options of an MQTT broker. */
export interface MqttBrokerOptions {
  readonly service: TopicService;
  readonly guard: MqttGuard;
  /** Stores sessions and retained messages. @default none: they last as long as the process */
  readonly store?: SessionStore;
  /** Called when clients connect and disconnect. @default none */
  readonly onConnected?: ConnectionListener;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Logs clients that may not connect. @default they are not logged */
  readonly rejections?: Pick<RejectionLog, "add">;
  /** Limits that differ from the defaults. @default none */
  readonly limits?: Partial<MqttLimits>;
}

/** An MQTT broker, for MQTT 3.1.1 and 5. */
export interface MqttBroker {
  /** Serves a connection until it ends. */
  handle(stream: Duplex, peer: MqttPeer): void;
  /** Sends a message to its subscribers. Resolves once it is stored for persistent sessions. */
  publish(message: MqttMessage): Promise<unknown> | undefined;
  /** Whether a session has subscribed to a topic. */
  hasSubscribers(topic: string): boolean;
  readonly retained: Pick<RetainedMessages, "get" | "all">;
  /** Ends the connection of a client. Returns false if there is none. */
  disconnect(
    clientId: string,
    options: { readonly cleanSession: boolean; readonly withoutWill: boolean },
  ): boolean;
  /** The session of a client; undefined if it has none. */
  sessionOf(clientId: string): SessionFacts | undefined;
  /** Currently connected clients. */
  clients(): number;
  /** Resolves once all requests received so far are answered. */
  idle(): Promise<void>;
  /** Notifies the clients that the server is stopping. */
  announceEnd(): void;
  /** Ends all connections and stores all sessions. */
  close(): Promise<void>;
}

/** A session, for AWS's operations on connections. */
export interface SessionFacts extends MqttUser {
  readonly expirySeconds: number;
  readonly subscriptions: readonly { readonly filter: string; readonly qos: number }[];
  /** The connection; undefined while the client is disconnected. */
  readonly connected?: { readonly keepAliveSeconds: number; readonly isClean: boolean };
}

/** Starts a broker with its stored sessions. Connections are passed to it. */
export async function mqttBroker(options: MqttBrokerOptions): Promise<MqttBroker> {
  const broker = new Broker(options);
  await broker.restore();
  return broker;
}

/** Serves the connections of MQTT clients, with QoS 0 and 1, and connects their sessions through a router. */
class Broker implements MqttBroker, ClientBroker {
  readonly clock: Clock;
  readonly limits: MqttLimits;
  readonly retained: RetainedMessages;
  readonly #options: MqttBrokerOptions;
  readonly #store: SessionStore;
  readonly #clients = new Map<string, MqttClient>();
  /** Listeners for the ends of these clients' connections. */
  readonly #onEnded = new Map<MqttClient, (end: ConnectionEnd) => void>();
  readonly #sessions: SessionRegistry;
  readonly #unsent = new UnsentBytes();
  readonly #requests: ServiceRequests;
  readonly #wills: LastWills;
  readonly #router: MessageRouter;
  #isStopping = false;

  constructor(options: MqttBrokerOptions) {
    this.#options = options;
    this.#store = options.store ?? noSessionStore;
    this.clock = options.clock;
    this.limits = { ...mqttLimits, ...options.limits };
    const { clock, logger } = options;
    this.#router = new MessageRouter({
      store: this.#store,
      clock,
      logger,
      limits: this.limits,
      onFailed: (session, error) => this.#sessionFailed(session, error),
    });
    this.retained = this.#router.retained;
    this.#requests = new ServiceRequests(this.clock, this.limits);
    this.#wills = new LastWills({
      clock,
      logger,
      store: this.#store,
      publish: (message) => this.publish(message),
      isAllowed: ({ access }, message) =>
        this.ruleOf(message.topic).kind === "pass" && mayPublish(access, message),
    });
    this.#sessions = new SessionRegistry({
      clock,
      logger,
      limits: this.limits,
      store: this.#store,
      subscriptions: this.#router.subscriptions,
      onUnsubscribed: (session) => this.#router.passOn(session),
      onDiscarded: ({ identity }) => this.#wills.publishNow(identity),
    });
  }

  async restore(): Promise<void> {
    const { sessions, retained, wills } = await this.#store.load();
    for (const message of retained) this.retained.set(message, this.clock.now());
    this.#sessions.restore(sessions, (user) => this.#options.guard.accessOf(user));
    for (const record of wills) {
      const access = this.#options.guard.accessOf(record);
      if (access !== undefined && mayPublish(access, record.will.message))
        this.#wills.restore(record, this.limits.willGraceSeconds * 1000);
      else this.#wills.drop(record);
    }
  }

  handle(stream: Duplex, peer: MqttPeer): void {
    const { clock, limits } = this;
    const connection = new MqttConnection({ stream, clock, limits, unsent: this.#unsent });
    this.#converse(connection, peer)
      .catch((error: unknown) => cutBy(error, connection))
      .finally(() => {
        connection.close();
        const { cutReason: why } = connection;
        if (why === undefined) return;
        this.#options.logger.info("MQTT client disconnected", { from: peer.address, reason: why });
      });
  }

  publish(message: MqttMessage, from?: MqttSession): Promise<unknown> | undefined {
    return this.#router.publish(message, from);
  }

  hasSubscribers(topic: string): boolean {
    return this.#router.subscriptions.has(topic);
  }

  subscribe(session: MqttSession, name: string, options: Subscription): void {
    this.#router.subscriptions.add(session, name, options);
  }

  unsubscribe(session: MqttSession, name: string): boolean {
    return this.#router.subscriptions.remove(session, name);
  }

  sendRetained(session: MqttSession, name: string, options: Subscription): void {
    this.#router.sendRetained(session, name, options);
  }

  save(session: MqttSession): Promise<void> {
    return this.#sessions.save(session);
  }

  ruleOf(topic: string): TopicRule {
    return this.#options.service.ruleOf(topic);
  }

  failed(client: MqttClient, error: unknown): void {
    this.#sessionFailed(client.session, error);
    client.cut("internal error", reason.unspecified);
  }

  mayRequest(): Promise<boolean> {
    return this.#requests.mayRun();
  }

  request(rule: TopicRule & { readonly kind: "request" }, packet: IPublishPacket, { key }: MqttSession) {
    return this.#requests.perform(rule, packet, key);
  }

  clients(): number {
    return this.#clients.size;
  }

  disconnect(
    clientId: string,
    { cleanSession, withoutWill }: { readonly cleanSession: boolean; readonly withoutWill: boolean },
  ): boolean {
    const found = [...this.#clients.values()].filter((client) => client.request.clientId === clientId);
    for (const client of found) {
      client.cut("disconnected by a request", reason.administrativeAction);
      this.#ended(client, { withoutWill });
      if (cleanSession) this.#sessions.discard(client.session);
    }
    return found.length > 0;
  }

  sessionOf(clientId: string): SessionFacts | undefined {
    const session = this.#sessions.find(clientId);
    if (session === undefined) return undefined;
    const request = this.#clients.get(session.key)?.request;
    return {
      clientId,
      userName: session.identity.userName,
      expirySeconds: session.expirySeconds,
      subscriptions: [...session.subscriptions].map(([filter, { qos }]) => ({ filter, qos })),
      ...(request && { connected: request }),
    };
  }

  async idle(): Promise<void> {
    const clients = [...this.#clients.values()].map((client) => client.idle());
    await Promise.allSettled([...this.#requests.inFlight(), ...clients]);
  }

  announceEnd(): void {
    this.#isStopping = true;
    this.#requests.close();
    for (const client of this.#clients.values()) client.announceEnd(reason.serverShuttingDown);
  }

  async close(): Promise<void> {
    this.#isStopping = true;
    this.#requests.close();
    for (const client of this.#clients.values()) {
      client.cut("the server is stopping");
      this.#ended(client);
    }
    await this.#store.flush();
  }

  async #converse(connection: MqttConnection, peer: MqttPeer): Promise<void> {
    const tooLate = () => connection.cut("no CONNECT in time");
    const cancelTimer = this.clock.after(this.limits.connectMs, tooLate, { background: true });
    try {
      const packets = connection.packets();
      const first = await firstPacket(packets, connection);
      if (first === undefined) return;
      if (first.cmd !== "connect") throw new Error("the first packet is not CONNECT");
      connection.protocolVersion = first.protocolVersion ?? 4;
      const accepted = await acceptClient(first, peer, this.#options.guard, this.limits);
      cancelTimer();
      if ("rejectedWith" in accepted) {
        this.#options.rejections?.add(rejectedClient(first, peer, accepted));
        connection.send(rejection(accepted, connection.protocolVersion));
        connection.end();
        return;
      }
      await this.#serve(first, accepted, connection, packets);
    } finally {
      cancelTimer();
    }
  }

  /** Serves a client until its connection ends. It replaces a connected client with the same id. */
  async #serve(
    packet: IConnectPacket,
    { request, identity, address }: AcceptedClient,
    connection: MqttConnection,
    packets: AsyncIterable<Packet>,
  ): Promise<void> {
    const key = sessionKey(identity);
    const previous = this.#clients.get(key);
    previous?.cut("the client connected again", reason.sessionTakenOver);
    if (previous !== undefined) this.#ended(previous);
    this.#wills.connecting(identity);
    const known = this.#sessions.get(key);
    const isPresent = known !== undefined && !request.isClean;
    if (known !== undefined && request.isClean) this.#sessions.discard(known);
    const session = this.#sessions.open(identity, request.expirySeconds);
    const client = new MqttClient(this, connection, session, request);
    connection.maxPacketBytes = request.maxPacketBytes;
    this.#clients.set(key, client);
    try {
      await Promise.all([this.#sessions.save(session), this.#wills.connected(identity, request.will)]);
      // The client may have opened another connection in the meantime.
      if (this.#clients.get(key) !== client) return;
      connection.send(acceptance(request, packet, isPresent, this.limits));
      const { clientId, userName } = identity;
      const { isAssigned } = request;
      const onEnded = this.#options.onConnected?.({ clientId, isAssigned, userName, address });
      if (onEnded !== undefined) this.#onEnded.set(client, onEnded);
      session.attach(client);
      await client.run(packets);
    } catch (error) {
      cutBy(error, connection);
    } finally {
      this.#ended(client);
    }
  }

  /** Removes a client whose connection has ended. Its session may outlive it. */
  #ended(client: MqttClient, { withoutWill = client.saidGoodbye } = {}): void {
    const { session } = client;
    if (this.#clients.get(session.key) !== client) return;
    this.#clients.delete(session.key);
    session.detach();
    const willPublished = this.#wills.ended(session, { isDropped: withoutWill });
    this.#onEnded.get(client)?.({ cause: this.#isStopping ? "stop" : client.endCause, willPublished });
    this.#onEnded.delete(client);
    if (!session.isLasting) this.#sessions.discard(session);
    else
      this.#sessions.keep(session).catch((error: unknown) => {
        this.#options.logger.error("could not store an MQTT session", {
          client: session.identity.clientId,
          error,
        });
      });
  }

  #sessionFailed(session: MqttSession, error: unknown): void {
    this.#options.logger.error("MQTT session failed", { client: session.identity.clientId, error });
    session.client?.cut("internal error", reason.unspecified);
  }
}

/** Ends a connection after an error. */
function cutBy(error: unknown, connection: MqttConnection): void {
  const code = error instanceof Violation ? error.code : undefined;
  connection.cut(error instanceof Error ? error.message : "unknown", code);
}
