import type { Clock } from "@tablekeep/core";
import { bytesOf, isExpired, type MqttMessage } from "../protocol/mqtt-message.ts";

/** How a message is sent to a client. */
export interface Delivery {
  /** The packet id; undefined for QoS 0. */
  readonly messageId?: number;
  /** Whether it may have been sent before. */
  readonly isRepeated?: boolean;
  /** Whether it is marked as a retained message. */
  readonly retain: boolean;
}

/** The connection of a client, as its session uses it. */
export interface Receiver {
  /** Messages of QoS 1 that the client accepts before it acknowledges one. */
  readonly receiveMaximum: number;
  /** Sends a message and never waits. Returns false if the client does not accept one of its size. */
  transmit(message: MqttMessage, delivery: Delivery): boolean;
}

/** A message of QoS 1 that is not acknowledged yet. */
export interface QueuedMessage {
  readonly messageId: number;
  /** Its place in the order of the session's messages. */
  readonly order: number;
  readonly message: MqttMessage;
  readonly retain: boolean;
  /** The shared subscription that it was sent for; undefined for any other. */
  readonly sharedAs?: string;
  isRepeated: boolean;
}

/** How a message is added. */
export interface Addition extends Pick<QueuedMessage, "sharedAs"> {
  /** Whether it is marked as a retained message. */
  readonly retain: boolean;
}

/** Where the messages of a session are stored. */
export interface OutboxStore {
  /**
   * Resolves once the message is stored, or was removed before that. `isSent` says that the client has it and is likely to acknowledge it
   * soon: then it is stored a moment later, if still necessary.
   */
  save(queued: QueuedMessage, options: { readonly isSent: boolean }): Promise<void>;
  remove(queued: QueuedMessage): void;
}

/** MQTT: an id for each message of QoS 1, from 1 to 65,535. */
const lastMessageId = 65_535;

/** The bytes of the messages that are queued for all sessions. */
export class QueuedBytes {
  readonly #maximum: number;
  readonly #byOutbox = new Map<Outbox, number>();
  #total = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Records the bytes of one outbox. The one with the most drops its oldest messages while the total is too large. */
  note(outbox: Outbox, bytes: number): void {
    this.#set(outbox, bytes);
    while (this.#total > this.#maximum) {
      const [most] = [...this.#byOutbox].reduce((one, other) => (other[1] > one[1] ? other : one));
      most.dropOldest(Math.ceil(most.size / 2));
    }
  }

  #set(outbox: Outbox, bytes: number): void {
    this.#total += bytes - (this.#byOutbox.get(outbox) ?? 0);
    if (bytes === 0) this.#byOutbox.delete(outbox);
    else this.#byOutbox.set(outbox, bytes);
  }
}

/** Dependencies of an outbox. */
export interface OutboxOptions {
  readonly clock: Clock;
  readonly total: QueuedBytes;
  /** Maximum bytes of the messages. If there are more, the oldest are dropped. */
  readonly maxBytes: number;
  /** Stores messages of a session that outlives its connection. @default none: sent messages are not kept */
  readonly store?: OutboxStore;
  /** Called with the number of messages that were dropped. */
  readonly onDropped: (count: number) => void;
}

/**
 * The messages of QoS 1 for one session, in order. As many as the client accepts are sent; the others wait. After a new
 * connection, those that were sent and not acknowledged are sent again, with the same ids.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  /**
   * The ids that the client has not acknowledged. Without a store a message cannot be sent again, and only its id is kept; of a shared
   * subscription also the message, which another client may get.
   */
  readonly #sent = new Map<number, QueuedMessage | undefined>();
  readonly #waiting = new Map<number, QueuedMessage>();
  readonly #bytes = new Map<QueuedMessage, number>();
  #total = 0;
  #lastId = 0;
  #lastOrder = 0;
  #lastSent = 0;
  #receiver: Receiver | undefined;
  /** Called after the next acknowledgment, and when the connection ends. */
  #onChange: (() => void)[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** The number of messages. */
  get size(): number {
    return this.#sent.size + this.#waiting.size;
  }

  /** Whether the messages occupy less than a quarter of the allowed bytes. */
  get isLight(): boolean {
    return this.#total < this.#options.maxBytes / 4;
  }

  /** Resolves after the next acknowledgment, or when the connection ends. */
  changed(): Promise<void> {
    return new Promise((resolve) => void this.#onChange.push(resolve));
  }

  /** Whether the messages are stored. */
  get isStored(): boolean {
    return this.#options.store !== undefined;
  }

  /** The order of the last message that was sent, or may have been sent before a crash. */
  get lastSent(): number {
    return this.#lastSent;
  }

  /** The messages of shared subscriptions, in order. */
  shared(): readonly QueuedMessage[] {
    return [...this.#oldest()].filter(({ sharedAs }) => sharedAs !== undefined);
  }

  /** Removes all messages: the session has ended. */
  clear(): void {
    for (const queued of [...this.#oldest()]) this.#remove(queued);
    this.#sent.clear();
    this.#options.total.note(this, this.#total);
    this.#notify();
  }

  /** Continues with stored messages, in their order. Those up to `sentUntil` may have been sent. */
  restore(messages: readonly QueuedMessage[], sentUntil: number): void {
    for (const queued of messages) {
      this.#lastId = queued.messageId;
      this.#waiting.set(queued.messageId, { ...queued, isRepeated: queued.order <= sentUntil });
    }
    for (const queued of this.#waiting.values()) this.#weigh(queued, bytesOf(queued.message));
    this.#lastSent = sentUntil;
    // Above both: a later message must not look like one that was sent.
    this.#lastOrder = Math.max(sentUntil, messages.at(-1)?.order ?? 0);
    this.#options.total.note(this, this.#total);
  }

  /** Adds a message, and sends it if the client accepts one. Resolves once it is stored, if it is to be stored. */
  add(message: MqttMessage, { retain, sharedAs }: Addition): Promise<void> | undefined {
    do this.#lastId = (this.#lastId % lastMessageId) + 1;
    while (this.#sent.has(this.#lastId) || this.#waiting.has(this.#lastId));
    const order = ++this.#lastOrder;
    const queued: QueuedMessage = {
      messageId: this.#lastId,
      order,
      message,
      retain,
      isRepeated: false,
      ...(sharedAs !== undefined && { sharedAs }),
    };
    this.#waiting.set(queued.messageId, queued);
    this.#weigh(queued, bytesOf(message));
    this.#send();
    const { maxBytes, total, store } = this.#options;
    const isSent = this.#sent.get(queued.messageId) === queued;
    const isQueued = isSent || this.#waiting.has(queued.messageId);
    const saved = isQueued ? store?.save(queued, { isSent }) : undefined;
    while (this.#total > maxBytes) this.dropOldest(1);
    total.note(this, this.#total);
    return saved;
  }

  /** Removes an acknowledged message, and sends the next one. */
  acknowledge(messageId: number): void {
    if (!this.#sent.has(messageId)) return;
    const queued = this.#sent.get(messageId);
    this.#sent.delete(messageId);
    if (queued !== undefined) this.#remove(queued);
    this.#options.total.note(this, this.#total);
    this.#send();
    this.#notify();
  }

  /** Sends to this connection from now on, beginning with the messages that were not acknowledged on the previous one. */
  attach(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#send();
  }

  /** Sends nothing until the client connects again. */
  detach(): void {
    this.#receiver = undefined;
    const waiting = [...this.#sent, ...this.#waiting];
    this.#sent.clear();
    this.#waiting.clear();
    for (const [id, queued] of waiting) if (queued !== undefined) this.#waiting.set(id, queued);
    this.#notify();
  }

  #notify(): void {
    const waiting = this.#onChange;
    if (waiting.length === 0) return;
    this.#onChange = [];
    for (const resolve of waiting) resolve();
  }

  dropOldest(count: number): void {
    let dropped = 0;
    for (const queued of this.#oldest()) {
      if (dropped === count) break;
      this.#remove(queued);
      dropped++;
    }
    this.#options.total.note(this, this.#total);
    if (dropped > 0) this.#options.onDropped(dropped);
  }

  /** Drops the messages that the client may no longer receive. */
  dropUnless(mayReceive: (topic: string) => boolean): void {
    const denied = [...this.#oldest()].filter(({ message }) => !mayReceive(message.topic));
    for (const queued of denied) this.#remove(queued);
    this.#options.total.note(this, this.#total);
    if (denied.length > 0) this.#options.onDropped(denied.length);
  }

  *#oldest(): Generator<QueuedMessage> {
    for (const queued of this.#sent.values()) if (queued !== undefined) yield queued;
    yield* this.#waiting.values();
  }

  #send(): void {
    const { clock, store } = this.#options;
    for (const queued of this.#waiting.values()) {
      const receiver = this.#receiver;
      if (receiver === undefined || this.#sent.size >= receiver.receiveMaximum) return;
      const { message, messageId, retain, isRepeated } = queued;
      const isOver = !isRepeated && isExpired(message, clock.now());
      this.#waiting.delete(messageId);
      this.#sent.set(messageId, queued);
      queued.isRepeated = true;
      this.#lastSent = Math.max(this.#lastSent, queued.order);
      if (isOver || !receiver.transmit(message, { messageId, isRepeated, retain })) this.#remove(queued);
      else if (store === undefined && (queued.sharedAs === undefined || !this.isLight)) {
        this.#sent.set(messageId, undefined);
        this.#weigh(queued, 0);
      }
    }
  }

  #remove(queued: QueuedMessage): void {
    this.#sent.delete(queued.messageId);
    this.#waiting.delete(queued.messageId);
    this.#weigh(queued, 0);
    this.#options.store?.remove(queued);
  }

  #weigh(queued: QueuedMessage, bytes: number): void {
    this.#total += bytes - (this.#bytes.get(queued) ?? 0);
    if (bytes === 0) this.#bytes.delete(queued);
    else this.#bytes.set(queued, bytes);
  }
}
