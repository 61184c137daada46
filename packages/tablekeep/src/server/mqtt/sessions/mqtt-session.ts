import type { MqttMessage, Qos } from "../protocol/mqtt-message.ts";
import { type Reason, reason } from "../protocol/reason-codes.ts";
import type { Outbox, Receiver } from "./outbox.ts";

/** The permissions of a client on topics. */
export interface TopicAccess {
  mayPublish(topic: string): boolean;
  /** Whether the client may publish retained messages to a topic that it may publish to. @default it may */
  mayRetain?(topic: string): boolean;
  maySubscribe(filter: string): boolean;
  /** Whether the client receives messages on a topic that it has subscribed to. */
  mayReceive(topic: string): boolean;
}

/** Whether a client may publish a message, and also retain it if the message says so. */
export function mayPublish(
  access: TopicAccess,
  { topic, retain = false }: Pick<MqttMessage, "topic" | "retain">,
): boolean {
  return access.mayPublish(topic) && (!retain || access.mayRetain?.(topic) !== false);
}

/** The identity of a client, from its CONNECT. */
export interface SessionIdentity {
  readonly clientId: string;
  /** The authenticated user; undefined without authentication. */
  readonly userName?: string;
  readonly access: TopicAccess;
}

/** The options of a subscription. */
export interface Subscription {
  readonly qos: Qos;
  /** Whether the client does not receive its own messages. */
  readonly noLocal: boolean;
  /** Whether messages keep their retain flag. */
  readonly retainAsPublished: boolean;
}

/** The connection of a session. */
export interface SessionClient extends Receiver {
  cut(why: string, code?: Reason): void;
  /** Resolves once the client has read everything that was sent to it, or has disconnected; undefined if nothing is unread. */
  drained(): Promise<void> | undefined;
}

/** How a message came to a session. */
export interface DeliverOptions {
  /** Whether it was published before the subscription. @default false */
  readonly isRetained?: boolean;
  /** The shared subscription that it is for, as the client specified it. @default none */
  readonly sharedAs?: string;
}

/** The initial state of a session. */
export interface MqttSessionOptions {
  readonly id: string | undefined;
  readonly identity: SessionIdentity;
  readonly expirySeconds: number;
  readonly outbox: Outbox;
  /** QoS 1 messages that may be queued or unacknowledged. */
  readonly maxMessages: number;
}

/** A client's subscriptions and unacknowledged messages, which may outlive its connection. */
export class MqttSession {
  /** Distinguishes the session from earlier ones of its client. Undefined if an earlier release stored it. */
  readonly id: string | undefined;
  readonly subscriptions: Map<string, Subscription> = new Map();
  readonly outbox: Outbox;
  /** The permissions of the client that connected last. */
  identity: SessionIdentity;
  /** Seconds that the session is kept after the connection ends; 0 ends it with the connection. */
  expirySeconds: number;
  readonly #maxMessages: number;
  #client: SessionClient | undefined;

  constructor({ id, identity, expirySeconds, outbox, maxMessages }: MqttSessionOptions) {
    this.id = id;
    this.identity = identity;
    this.expirySeconds = expirySeconds;
    this.outbox = outbox;
    this.#maxMessages = maxMessages;
  }

  get key(): string {
    return sessionKey(this.identity);
  }

  get client(): SessionClient | undefined {
    return this.#client;
  }

  /** Whether the session is kept after the connection ends. */
  get isLasting(): boolean {
    return this.expirySeconds > 0;
  }

  attach(client: SessionClient): void {
    this.#client = client;
    this.outbox.attach(client);
  }

  detach(): void {
    this.#client = undefined;
    this.outbox.detach();
  }

  /**
   * Resolves when the session may have become ready for more of the retained messages; undefined if it is ready. A session without
   * a connection is always ready.
   */
  untilReady(): Promise<void> | undefined {
    const drained = this.#client?.drained();
    if (this.#client === undefined || drained !== undefined) return drained;
    const isReady = this.outbox.size < this.#maxMessages / 10 && this.outbox.isLight;
    return isReady || this.outbox.size === 0 ? undefined : this.outbox.changed();
  }

  /**
   * Sends a message to the client, or queues it. Never waits; resolves once the message is stored, if it has to be.
   */
  deliver(
    message: MqttMessage,
    subscription: Subscription,
    { isRetained = false, sharedAs }: DeliverOptions = {},
  ): Promise<void> | undefined {
    if (!this.identity.access.mayReceive(message.topic)) return undefined;
    const retain = isRetained || (subscription.retainAsPublished && message.retain === true);
    if (message.qos === 0 || subscription.qos === 0) {
      this.#client?.transmit(message, { retain });
      return undefined;
    }
    if (this.#client === undefined && !this.isLasting) return undefined;
    const { size } = this.outbox;
    if (size >= this.#maxMessages) {
      this.#client?.cut(`${size} messages are unacknowledged`, reason.quotaExceeded);
      if (!this.isLasting) return undefined;
      this.outbox.dropOldest(1);
    }
    return this.outbox.add(message, { retain, sharedAs });
  }
}

/** A client id belongs to the user who connects with it: the id of another user's client does not replace that client. */
export function sessionKey({ userName, clientId }: Pick<SessionIdentity, "userName" | "clientId">): string {
  return JSON.stringify([userName ?? null, clientId]);
}
