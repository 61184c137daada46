import type { IDisconnectPacket, ISubscribePacket, IUnsubscribePacket, Packet } from "mqtt-packet";
import { type EndCause, endCause } from "./connection-listener.ts";
import type { MqttConnection } from "./protocol/mqtt-connection.ts";
import { type MqttMessage, wireProperties } from "./protocol/mqtt-message.ts";
import { type Reason, reason, Violation } from "./protocol/reason-codes.ts";
import { TopicAliases } from "./protocol/topic-aliases.ts";
import { isTopicFilter, parseSharedFilter } from "./protocol/topic-names.ts";
import { IncomingMessages, type PublishBroker } from "./requests/incoming-messages.ts";
import type { ConnectRequest } from "./sessions/connect-request.ts";
import type { MqttSession, SessionClient, Subscription } from "./sessions/mqtt-session.ts";
import type { Delivery } from "./sessions/outbox.ts";

/** Dependencies of a client on its broker. */
export interface ClientBroker extends PublishBroker {
  subscribe(session: MqttSession, name: string, options: Subscription): void;
  /** Returns whether there was such a subscription. */
  unsubscribe(session: MqttSession, name: string): boolean;
  /** Starts sending the retained messages of a filter to a session, as fast as its client reads them. */
  sendRetained(session: MqttSession, name: string, options: Subscription): void;
  /** Stores a persistent session. */
  save(session: MqttSession): Promise<void>;
  /** Records an unexpected error while serving a client, and disconnects that client. */
  failed(client: MqttClient, error: unknown): void;
}

/** One connected client: handles its packets, and sends it the messages of its session. */
export class MqttClient implements SessionClient {
  readonly session: MqttSession;
  readonly request: ConnectRequest;
  readonly #broker: ClientBroker;
  readonly #connection: MqttConnection;
  readonly #aliases: TopicAliases;
  readonly #messages: IncomingMessages;
  #heardAt: number;
  #saidGoodbye = false;
  #hasDisconnected = false;

  constructor(
    broker: ClientBroker,
    connection: MqttConnection,
    session: MqttSession,
    request: ConnectRequest,
  ) {
    this.#broker = broker;
    this.#connection = connection;
    this.session = session;
    this.request = request;
    this.#heardAt = broker.clock.monotonic();
    this.#messages = new IncomingMessages(broker, {
      session,
      hasReasonCodes: request.version === 5,
      acknowledge: (packet, code) =>
        void connection.send({ cmd: "puback", messageId: idOf(packet), reasonCode: code }),
      onFailed: (error) => broker.failed(this, error),
    });
    this.#aliases = new TopicAliases({
      incoming: broker.limits.topicAliases,
      outgoing: request.topicAliases,
    });
  }

  get receiveMaximum(): number {
    return this.request.receiveMaximum;
  }

  /** Whether the connection ended in a way that does not publish the last will. */
  get saidGoodbye(): boolean {
    return this.#saidGoodbye;
  }

  /** Why the connection ended. */
  get endCause(): EndCause {
    const { cutReason, cutCode } = this.#connection;
    return endCause({ hasDisconnected: this.#hasDisconnected, isCut: cutReason !== undefined, cutCode });
  }

  /** Serves the client until it disconnects. Rejects if it violates a rule. */
  async run(packets: AsyncIterable<Packet>): Promise<void> {
    const stopWatching = this.#watchSilence();
    try {
      for await (const packet of packets) {
        if (this.#connection.isEnding) continue;
        // While a packet is being handled, no others are read, so the client must not count as silent.
        this.#heardAt = Number.POSITIVE_INFINITY;
        const handled = this.#handle(packet);
        if (handled !== undefined) await handled;
        this.#heardAt = this.#broker.clock.monotonic();
        if (this.#hasDisconnected) return;
        const drained = this.#connection.drained();
        if (drained !== undefined) await drained;
      }
    } finally {
      stopWatching();
    }
  }

  /** Resolves once all requests of the client so far are answered. */
  idle(): Promise<void> {
    return this.#messages.idle();
  }

  transmit(message: MqttMessage, { messageId, isRepeated = false, retain }: Delivery): boolean {
    const { payload, topic } = message;
    const packet = { cmd: "publish", payload, dup: isRepeated, retain } as const;
    const delivery = messageId === undefined ? ({ qos: 0 } as const) : ({ qos: 1, messageId } as const);
    if (this.request.version !== 5) return this.#connection.send({ ...packet, ...delivery, topic });
    const alias = this.#aliases.outgoing(topic);
    const properties = { ...wireProperties(message, this.#broker.clock.now()), ...alias.properties };
    const isSent = this.#connection.send({ ...packet, ...delivery, topic: alias.topic, properties });
    if (!isSent && alias.topic !== "") this.#aliases.forget(topic);
    return isSent;
  }

  cut(why: string, code?: Reason): void {
    this.#connection.cut(why, code);
  }

  drained(): Promise<void> | undefined {
    return this.#connection.drained();
  }

  /** Sends the reason why the connection is about to end, where MQTT has one. */
  announceEnd(code: Reason): void {
    if (this.request.version === 5) this.#connection.send({ cmd: "disconnect", reasonCode: code });
    this.#connection.flush();
  }

  /** Handles a packet. Returns a promise if the next one has to wait. */
  #handle(packet: Packet): Promise<void> | undefined {
    switch (packet.cmd) {
      case "publish":
        return this.#messages.handle({ ...packet, topic: this.#aliases.incoming(packet) });
      case "subscribe":
        return this.#subscribed(packet);
      case "unsubscribe":
        return this.#unsubscribed(packet);
      case "puback":
        this.session.outbox.acknowledge(idOf(packet));
        return undefined;
      case "pingreq":
        this.#connection.send({ cmd: "pingresp" });
        return undefined;
      case "disconnect":
        this.#disconnected(packet);
        return undefined;
      default:
        throw new Violation(reason.protocolError, `a client must not send ${packet.cmd} at this point`);
    }
  }

  #disconnected({ reasonCode, properties }: IDisconnectPacket): void {
    const expirySeconds = properties?.sessionExpiryInterval;
    if (expirySeconds !== undefined) {
      if (!this.session.isLasting && expirySeconds > 0)
        throw new Violation(
          reason.protocolError,
          "a session that ends with its connection cannot be extended",
        );
      this.session.expirySeconds = Math.min(expirySeconds, this.#broker.limits.maxSessionSeconds);
    }
    this.#hasDisconnected = true;
    // MQTT 5: only a normal disconnection discards the last will, not one by which the client reports an error.
    this.#saidGoodbye = (reasonCode ?? reason.success) === reason.success;
    this.#connection.end();
  }

  async #subscribed(packet: ISubscribePacket): Promise<void> {
    if (packet.properties?.subscriptionIdentifier !== undefined)
      throw new Violation(reason.subscriptionIdsNotSupported, "subscription identifiers are not supported");
    if (packet.subscriptions.some(({ topic, nl }) => nl === true && topic.startsWith("$share/")))
      throw new Violation(reason.protocolError, "a shared subscription must not set No Local");
    const { session } = this;
    const retained: (() => void)[] = [];
    const granted = packet.subscriptions.map(({ topic: name, qos, nl = false, rap = false, rh = 0 }) => {
      const refusal = this.#subscriptionRefusal(name);
      if (refusal !== undefined) return this.request.version === 5 ? refusal : reason.unspecified;
      const options = { qos: qos === 0 ? 0 : 1, noLocal: nl, retainAsPublished: rap } as const;
      const isNew = !session.subscriptions.has(name);
      this.#broker.subscribe(session, name, options);
      if (rh === 0 || (rh === 1 && isNew))
        retained.push(() => this.#broker.sendRetained(session, name, options));
      return options.qos;
    });
    if (session.isLasting) await this.#broker.save(session);
    this.#connection.send({ cmd: "suback", messageId: idOf(packet), granted });
    for (const send of retained) send();
  }

  /** Why a client may not subscribe; undefined if it may. */
  #subscriptionRefusal(name: string): Reason | undefined {
    const { limits } = this.#broker;
    const { subscriptions, identity } = this.session;
    const shared = parseSharedFilter(name);
    if (shared === undefined || !isTopicFilter(shared.filter, limits)) return reason.topicFilterInvalid;
    if (Buffer.byteLength(name) > 2 * limits.topicBytes) return reason.topicFilterInvalid;
    if (!identity.access.maySubscribe(shared.filter)) return reason.notAuthorized;
    const isBounded = subscriptions.has(name) || subscriptions.size < limits.subscriptions;
    return isBounded ? undefined : reason.quotaExceeded;
  }

  async #unsubscribed(packet: IUnsubscribePacket): Promise<void> {
    const codes = packet.unsubscriptions.map((name) =>
      this.#broker.unsubscribe(this.session, name) ? reason.success : reason.noSubscriptionExisted,
    );
    if (this.session.isLasting) await this.#broker.save(this.session);
    const granted = this.request.version === 5 ? codes : [];
    this.#connection.send({ cmd: "unsuback", messageId: idOf(packet), granted });
  }

  /** Disconnects a client that sends nothing for longer than its keep-alive allows. */
  #watchSilence(): () => void {
    const { clock } = this.#broker;
    const silenceMs = this.request.keepAliveSeconds * 1500;
    const check = () => {
      const rest = Math.min(this.#heardAt - clock.monotonic(), 0) + silenceMs;
      if (rest <= 0) this.cut("the client was silent for too long", reason.keepAliveTimeout);
      else cancel = clock.after(rest, check, { background: true });
    };
    let cancel = clock.after(silenceMs, check, { background: true });
    return () => cancel();
  }
}

function idOf({ messageId }: Packet): number {
  return messageId ?? 0;
}
