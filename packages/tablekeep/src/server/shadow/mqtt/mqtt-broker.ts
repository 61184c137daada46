import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Clock, Logger } from "@tablekeep/core";
import type { ShadowTopic } from "@tablekeep/shadow";
import type { IConnectPacket, IPublishPacket, Packet } from "mqtt-packet";
import type { PasswordCheck } from "../../auth/password-check.ts";
import type { ShadowMessage, ShadowService } from "../shadow-service.ts";
import { MqttConnection, UnsentBytes } from "./mqtt-connection.ts";
import { type MqttLimits, mqttLimits } from "./mqtt-limits.ts";
import { type MqttMessage, MqttSession, type SessionBroker, type SessionIdentity } from "./mqtt-session.ts";
import { PublishDeduplicator } from "./publish-deduplicator.ts";
import { isTopicName, publishRule, type Qos, TopicTree } from "./topics.ts";

/** Options of an MQTT broker. */
export interface MqttBrokerOptions {
  readonly service: Pick<ShadowService, "answer">;
  /** Checks passwords; then every client must sign in. @default none: anybody may connect */
  readonly passwordFits?: PasswordCheck;
  /** Whether clients without a password must have a certificate. @default false */
  readonly needsCertificate?: boolean;
  /** Whether a client reaches only the thing that is named after its user. */
  readonly ownThingOnly: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits other than the default ones. @default none */
  readonly limits?: Partial<MqttLimits>;
}

/** The origin of a connection. */
export interface MqttPeer {
  /** The IP address. */
  readonly address: string;
  /** The common name of the client's certificate, which TLS has verified; it is the user. @default none */
  readonly certificateName?: string;
}

/** An MQTT 3.1.1 broker that serves the topics of shadows. */
export interface MqttBroker {
  /** Serves a connection until it ends. */
  handle(stream: Duplex, peer: MqttPeer): void;
  publish(message: MqttMessage): void;
  /** Clients that are connected now. */
  clients(): number;
  /** Resolves once all requests so far are answered. */
  idle(): Promise<void>;
  close(): void;
}

/** The codes of a CONNACK in MQTT 3.1.1, and the one of MQTT 5 for a version that is not served. */
const accepted = 0;
const clientIdRejected = 2;
const badUserNameOrPassword = 4;
const notAuthorized = 5;
const unsupportedVersion = 132;

/** Starts a broker, to which connections are passed. */
export function mqttBroker(options: MqttBrokerOptions): MqttBroker {
  return new Broker(options);
}

/**
 * Brokers MQTT 3.1.1 with QoS 0 and 1 and clean sessions. Clients share nothing but the subscriptions: messages are written
 * to each subscriber at once and never queued here, so that no client waits for another.
 */
class Broker implements MqttBroker, SessionBroker {
  readonly clock: Clock;
  readonly limits: MqttLimits;
  readonly #options: MqttBrokerOptions;
  readonly #sessions = new Map<string, MqttSession>();
  readonly #subscriptions = new TopicTree<MqttSession>();
  readonly #deduplicator: PublishDeduplicator<readonly ShadowMessage[]>;
  readonly #unsent = new UnsentBytes();
  /** Requests, also of clients that have disconnected meanwhile. */
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(options: MqttBrokerOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.limits = { ...mqttLimits, ...options.limits };
    this.#deduplicator = new PublishDeduplicator(options.clock, bytesOf);
  }

  handle(stream: Duplex, peer: MqttPeer): void {
    const { clock, limits } = this;
    const connection = new MqttConnection({ stream, clock, limits, unsent: this.#unsent });
    this.#converse(connection, peer)
      .catch((error: unknown) => connection.cut(error instanceof Error ? error.message : "unknown"))
      .finally(() => {
        const { cutReason: reason } = connection;
        if (reason === undefined) return;
        this.#options.logger.info("MQTT client disconnected", { from: peer.address, reason });
      });
  }

  publish(message: MqttMessage): void {
    for (const [session, granted] of this.#subscriptions.match(message.topic)) {
      try {
        session.deliver(message, granted);
      } catch (error) {
        this.failed(session, error);
      }
    }
  }

  subscribe(filter: string, session: MqttSession, qos: Qos): void {
    this.#subscriptions.add(filter, session, qos);
  }

  unsubscribe(filter: string, session: MqttSession): void {
    this.#subscriptions.remove(filter, session);
  }

  failed(session: MqttSession, error: unknown): void {
    const client = session.identity.clientId;
    this.#options.logger.error("MQTT session failed", { client, error });
    session.cut("internal error");
  }

  request(request: ShadowTopic, packet: IPublishPacket, { identity }: MqttSession) {
    const { topic, qos, messageId, dup: isRepeated } = packet;
    const payload = Buffer.from(packet.payload);
    const work = () => {
      const answers = this.#options.service.answer(request, payload);
      this.#inFlight.add(answers);
      return answers.finally(() => this.#inFlight.delete(answers));
    };
    if (qos === 0 || messageId === undefined) return work();
    const clientId = sessionKey(identity);
    return this.#deduplicator.once({ clientId, messageId, topic, payload, isRepeated }, work);
  }

  clients(): number {
    return this.#sessions.size;
  }

  async idle(): Promise<void> {
    const sessions = [...this.#sessions.values()].map((session) => session.idle());
    await Promise.allSettled([...this.#inFlight, ...sessions]);
  }

  close(): void {
    for (const session of this.#sessions.values()) session.cut("the server is stopping");
  }

  async #converse(connection: MqttConnection, peer: MqttPeer): Promise<void> {
    const tooLate = () => connection.cut("no CONNECT in time");
    const cancelTimer = this.clock.after(this.limits.connectMs, tooLate, { background: true });
    try {
      const packets = connection.packets();
      const { value: first } = await packets.next();
      if (first === undefined) return;
      if (first.cmd !== "connect") throw new Error("the first packet is not CONNECT");
      const answer = await identify(first, peer, this.#options, this.limits);
      cancelTimer();
      if ("rejectedWith" in answer) {
        reject(connection, answer);
        return;
      }
      connection.send({ cmd: "connack", sessionPresent: false, returnCode: accepted });
      await this.#serve(new MqttSession(this, connection, answer), packets);
    } finally {
      cancelTimer();
    }
  }

  /** Runs a session, which replaces the client's previous one, if any. */
  async #serve(session: MqttSession, packets: AsyncIterable<Packet>): Promise<void> {
    const key = sessionKey(session.identity);
    this.#sessions.get(key)?.cut("the client connected again");
    this.#sessions.set(key, session);
    try {
      await session.run(packets);
    } finally {
      if (this.#sessions.get(key) === session) this.#sessions.delete(key);
      if (session.lastWill !== undefined) this.publish(session.lastWill);
    }
  }
}

interface Rejection {
  readonly rejectedWith: number;
  readonly version?: number;
}

function reject(connection: MqttConnection, { rejectedWith, version = 4 }: Rejection): void {
  const code = version === 5 ? { reasonCode: rejectedWith } : { returnCode: rejectedWith };
  connection.send({ cmd: "connack", sessionPresent: false, ...code }, version);
  connection.end();
}

/** The identity of a client, or the code that it is rejected with. */
async function identify(
  packet: IConnectPacket,
  peer: MqttPeer,
  options: MqttBrokerOptions,
  limits: MqttLimits,
): Promise<SessionIdentity | Rejection> {
  const { clientId, clean, keepalive = 0, protocolVersion } = packet;
  if (protocolVersion === 5) return { rejectedWith: unsupportedVersion, version: 5 };
  if (Buffer.byteLength(clientId) > limits.clientIdBytes) return { rejectedWith: clientIdRejected };
  if (clientId === "" && !clean) return { rejectedWith: clientIdRejected };
  const signedIn = await signIn(packet, peer, options);
  if ("rejectedWith" in signedIn) return signedIn;
  const { userName } = signedIn;
  const user = { thing: options.ownThingOnly ? (userName ?? "") : undefined };
  return {
    clientId: clientId === "" ? randomUUID() : clientId,
    userName,
    ...user,
    will: willOf(packet, user, limits),
    keepAliveSeconds: Math.min(keepalive || limits.keepAliveSeconds, limits.keepAliveSeconds),
  };
}

/** A certificate takes precedence over a password: SDKs that connect with one send a user name that identifies the SDK. */
async function signIn(
  { username = "", password }: IConnectPacket,
  { address, certificateName }: MqttPeer,
  { passwordFits, needsCertificate = false }: MqttBrokerOptions,
): Promise<Pick<SessionIdentity, "userName"> | Rejection> {
  if (certificateName !== undefined) return { userName: certificateName };
  if (passwordFits === undefined) return needsCertificate ? { rejectedWith: notAuthorized } : {};
  const fits = await passwordFits(username, String(password ?? ""), address);
  return fits ? { userName: username } : { rejectedWith: badUserNameOrPassword };
}

/** AWS: the shadow service ignores the last will of a client. */
function willOf({ will }: IConnectPacket, user: { thing: string | undefined }, limits: MqttLimits) {
  if (will === undefined || !isTopicName(will.topic, limits)) return undefined;
  if (publishRule(will.topic, user).kind !== "pass") return undefined;
  return { topic: will.topic, payload: will.payload, qos: will.qos === 0 ? 0 : 1 } as const;
}

/** A client id belongs to the user who connects with it: the id of another user's client does not replace that client. */
function sessionKey({ userName, clientId }: SessionIdentity): string {
  return JSON.stringify([userName, clientId]);
}

function bytesOf(messages: readonly ShadowMessage[]): number {
  return messages.reduce((sum, { topic, payload }) => sum + topic.length + Buffer.byteLength(payload), 0);
}
