import type { Clock } from "@tablekeep/core";
import type { ShadowTopic } from "@tablekeep/shadow";
import type { IPublishPacket, ISubscribePacket, Packet } from "mqtt-packet";
import type { ShadowMessage } from "../shadow-service.ts";
import type { MqttConnection } from "./mqtt-connection.ts";
import type { MqttLimits } from "./mqtt-limits.ts";
import { isTopicFilter, isTopicName, maySubscribe, publishRule, type Qos, type TopicUser } from "./topics.ts";

/** A message to be sent to subscribers. */
export interface MqttMessage {
  readonly topic: string;
  readonly payload: Buffer | string;
  readonly qos: Qos;
}

/** Dependencies of a session on its broker. */
export interface SessionBroker {
  readonly clock: Clock;
  readonly limits: MqttLimits;
  publish(message: MqttMessage): void;
  subscribe(filter: string, session: MqttSession, qos: Qos): void;
  unsubscribe(filter: string, session: MqttSession): void;
  /** Records an unexpected error while serving a client, and disconnects that client. */
  failed(session: MqttSession, error: unknown): void;
  /** Performs a request on a shadow topic. Never rejects. */
  request(
    request: ShadowTopic,
    packet: IPublishPacket,
    session: MqttSession,
  ): Promise<readonly ShadowMessage[]>;
}

/** The identity of a client, from its CONNECT. */
export interface SessionIdentity extends TopicUser {
  readonly clientId: string;
  /** The authenticated user; undefined without authentication. */
  readonly userName?: string;
  /** Published if the connection ends without DISCONNECT. */
  readonly will?: MqttMessage;
  /** The keep-alive in seconds; the client counts as gone after 1.5 times as long without a packet. */
  readonly keepAliveSeconds: number;
}

/** A client violates the protocol or its permissions: its connection ends. */
class Violation extends Error {}

/** MQTT: an id for each message of QoS 1, from 1 to 65,535. */
const lastMessageId = 65_535;
const subscriptionFailed = 128;

/** The session of one connected client. Sessions are clean: nothing outlives them. */
export class MqttSession {
  readonly identity: SessionIdentity;
  readonly #broker: SessionBroker;
  readonly #connection: MqttConnection;
  readonly #filters = new Set<string>();
  readonly #unacknowledged = new Set<number>();
  /** Publishes of the client that are not acknowledged yet, in order. */
  readonly #inFlight: Promise<void>[] = [];
  #lastTurn: Promise<void> = Promise.resolve();
  #lastId = 0;
  #heardAt: number;
  #saidGoodbye = false;

  constructor(broker: SessionBroker, connection: MqttConnection, identity: SessionIdentity) {
    this.#broker = broker;
    this.#connection = connection;
    this.identity = identity;
    this.#heardAt = broker.clock.monotonic();
  }

  /** Serves the client until it disconnects. Rejects if it violates a rule. */
  async run(packets: AsyncIterable<Packet>): Promise<void> {
    const stopWatching = this.#watchSilence();
    try {
      for await (const packet of packets) {
        this.#heardAt = this.#broker.clock.monotonic();
        await this.#take(packet);
        if (this.#saidGoodbye) return;
        await this.#connection.drained();
      }
    } finally {
      stopWatching();
      for (const filter of this.#filters) this.#broker.unsubscribe(filter, this);
      this.#filters.clear();
    }
  }

  /** Resolves once all requests of the client so far are answered. */
  async idle(): Promise<void> {
    await this.#lastTurn;
  }

  /** Sends a message to the client. Never waits. */
  deliver({ topic, payload, qos }: MqttMessage, granted: Qos): void {
    const packet = { cmd: "publish", topic, payload, dup: false, retain: false } as const;
    if (qos === 0 || granted === 0) this.#connection.send({ ...packet, qos: 0 });
    else if (this.#unacknowledged.size >= this.#broker.limits.unacknowledged)
      this.cut(`${this.#unacknowledged.size} messages are unacknowledged`);
    else this.#connection.send({ ...packet, qos: 1, messageId: this.#nextId() });
  }

  /** An id that no unacknowledged message has. */
  #nextId(): number {
    do this.#lastId = (this.#lastId % lastMessageId) + 1;
    while (this.#unacknowledged.has(this.#lastId));
    this.#unacknowledged.add(this.#lastId);
    return this.#lastId;
  }

  /** Sends what was written so far, then ends the connection. */
  end(): void {
    this.#saidGoodbye = true;
    this.#connection.end();
  }

  cut(reason: string): void {
    this.#connection.cut(reason);
  }

  /** The message to publish if the connection ended without DISCONNECT. */
  get lastWill(): MqttMessage | undefined {
    return this.#saidGoodbye ? undefined : this.identity.will;
  }

  async #take(packet: Packet): Promise<void> {
    switch (packet.cmd) {
      case "publish":
        return this.#published(packet);
      case "subscribe":
        return this.#subscribed(packet);
      case "unsubscribe":
        for (const filter of packet.unsubscriptions)
          if (this.#filters.delete(filter)) this.#broker.unsubscribe(filter, this);
        return this.#connection.send({ cmd: "unsuback", messageId: idOf(packet), granted: [] });
      case "puback":
        this.#unacknowledged.delete(idOf(packet));
        return;
      case "pingreq":
        return this.#connection.send({ cmd: "pingresp" });
      case "disconnect":
        return this.end();
      default:
        throw new Violation(`a client must not send ${packet.cmd} here`);
    }
  }

  #subscribed(packet: ISubscribePacket): void {
    const { limits } = this.#broker;
    const granted = packet.subscriptions.map(({ topic: filter, qos }) => {
      const isAllowed = isTopicFilter(filter, limits) && maySubscribe(filter, this.identity);
      const isBounded = this.#filters.has(filter) || this.#filters.size < limits.subscriptions;
      if (!isAllowed || !isBounded) return subscriptionFailed;
      const most = qos === 0 ? 0 : 1;
      this.#filters.add(filter);
      this.#broker.subscribe(filter, this, most);
      return most;
    });
    this.#connection.send({ cmd: "suback", messageId: idOf(packet), granted });
  }

  /**
   * Acts on a message. Requests run at once, up to a limit; what answers them, and their acknowledgements, go out in the
   * order in which the messages came.
   */
  async #published(packet: IPublishPacket): Promise<void> {
    const { topic, qos } = packet;
    const { limits } = this.#broker;
    if (qos === 2) throw new Violation("QoS 2 is not supported");
    if (!isTopicName(topic, limits)) throw new Violation("the topic is invalid");
    const rule = publishRule(topic, this.identity);
    if (rule.kind === "reject") throw new Violation(`the client may not publish to ${topic}`);
    // Subscribers of a request topic receive the request, as on AWS.
    if (rule.kind !== "ignore") this.#broker.publish({ topic, payload: packet.payload, qos });
    const answers = rule.kind === "request" ? this.#broker.request(rule.request, packet, this) : undefined;
    if (answers === undefined && qos === 0) return;
    const before = this.#lastTurn;
    const turn = (async () => {
      const messages = (await answers) ?? [];
      await before;
      for (const message of messages) this.#broker.publish({ ...message, qos: 1 });
      if (qos === 1) this.#connection.send({ cmd: "puback", messageId: idOf(packet) });
    })()
      .catch((error: unknown) => this.#broker.failed(this, error))
      .finally(() => void this.#inFlight.shift());
    this.#lastTurn = turn;
    this.#inFlight.push(turn);
    if (this.#inFlight.length >= limits.requestsInFlight) await this.#inFlight[0];
  }

  /** Disconnects a client that sends nothing for longer than its keep-alive allows. */
  #watchSilence(): () => void {
    const { clock } = this.#broker;
    const silenceMs = this.identity.keepAliveSeconds * 1500;
    const check = () => {
      const rest = this.#heardAt + silenceMs - clock.monotonic();
      if (rest <= 0) this.cut("the client was silent for too long");
      else cancel = clock.after(rest, check, { background: true });
    };
    let cancel = clock.after(silenceMs, check, { background: true });
    return () => cancel();
  }
}

function idOf({ messageId }: Packet): number {
  return messageId ?? 0;
}
