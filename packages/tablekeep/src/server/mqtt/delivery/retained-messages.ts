import { bytesOf, isExpired, type MqttMessage } from "../protocol/mqtt-message.ts";
import { matchesFilter } from "../protocol/topic-names.ts";

/** The last retained message of each topic. */
export class RetainedMessages {
  readonly #limits: { readonly retainedMessages: number; readonly retainedBytes: number };
  readonly #byTopic = new Map<string, MqttMessage>();
  /** The place of each message in the order in which they were retained. */
  readonly #orders = new WeakMap<MqttMessage, number>();
  #lastOrder = 0;
  #bytes = 0;
  /** No message expires before this time. */
  #expiresFrom = Number.POSITIVE_INFINITY;

  constructor(limits: { readonly retainedMessages: number; readonly retainedBytes: number }) {
    this.#limits = limits;
  }

  /**
   * Replaces the message of a topic; an empty one removes it. Returns false if there is no space for it: then the topic has none, because an
   * earlier one would look like the last one.
   */
  set(message: MqttMessage, now: number): boolean {
    if (this.#replace(message)) return true;
    this.#dropExpired(now);
    if (this.#replace(message)) return true;
    this.#replace({ ...message, payload: "" });
    return false;
  }

  #dropExpired(now: number): void {
    if (now < this.#expiresFrom) return;
    this.#expiresFrom = Number.POSITIVE_INFINITY;
    for (const old of [...this.#byTopic.values()]) {
      if (isExpired(old, now)) this.#replace({ topic: old.topic, payload: "", qos: 0 });
      else this.#expiresFrom = Math.min(this.#expiresFrom, old.expiresAt ?? Number.POSITIVE_INFINITY);
    }
  }

  #replace(message: MqttMessage): boolean {
    const { topic, payload } = message;
    const known = this.#byTopic.get(topic);
    const isRemoved = payload.length === 0;
    const bytes =
      this.#bytes - (known === undefined ? 0 : bytesOf(known)) + (isRemoved ? 0 : bytesOf(message));
    const count = this.#byTopic.size + (known === undefined && !isRemoved ? 1 : 0);
    if (!isRemoved && (count > this.#limits.retainedMessages || bytes > this.#limits.retainedBytes))
      return false;
    this.#bytes = bytes;
    if (isRemoved) this.#byTopic.delete(topic);
    else {
      this.#byTopic.set(topic, message);
      this.#orders.set(message, ++this.#lastOrder);
      this.#expiresFrom = Math.min(this.#expiresFrom, message.expiresAt ?? Number.POSITIVE_INFINITY);
    }
    return true;
  }

  get(topic: string, now: number): MqttMessage | undefined {
    const message = this.#byTopic.get(topic);
    return message === undefined || isExpired(message, now) ? undefined : message;
  }

  /**
   * The messages of the topics that match a filter. They may be consumed over time: those that are removed, replaced or added meanwhile are
   * left out.
   */
  matching(filter: string, now: () => number): Generator<MqttMessage> {
    return this.#matchingUntil(this.#lastOrder, filter, now);
  }

  *#matchingUntil(lastOrder: number, filter: string, now: () => number): Generator<MqttMessage> {
    const exact = /[+#]/.test(filter) ? undefined : this.#byTopic.get(filter);
    const candidates = /[+#]/.test(filter) ? this.#byTopic.values() : exact === undefined ? [] : [exact];
    for (const message of candidates) {
      const isKnown = (this.#orders.get(message) ?? 0) <= lastOrder;
      if (isKnown && !isExpired(message, now()) && matchesFilter(message.topic, filter)) yield message;
    }
  }

  /** All messages, by topic. */
  all(now: number): MqttMessage[] {
    return [...this.#byTopic.values()]
      .filter((message) => !isExpired(message, now))
      .toSorted((one, other) => (one.topic < other.topic ? -1 : 1));
  }
}
