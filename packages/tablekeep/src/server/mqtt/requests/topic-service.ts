import type { Clock } from "@tablekeep/core";
import type { IPublishPacket } from "mqtt-packet";
import type { MqttLimits } from "../protocol/mqtt-limits.ts";
import { PublishDeduplicator } from "./publish-deduplicator.ts";
import { RequestSlots } from "./request-slots.ts";

/** A message that a service sends in response to a request. */
export interface ServiceMessage {
  readonly topic: string;
  readonly payload: string;
}

/**
 * How a message on a topic is handled: a request is performed and answered, `pass` goes to subscribers, `ignore` is acknowledged and
 * dropped, `reject` is an error of the client.
 */
export type TopicRule =
  | {
      readonly kind: "request";
      /** Performs the request and returns the messages of its response. Never rejects. */
      readonly perform: (payload: Buffer) => Promise<readonly ServiceMessage[]>;
    }
  | { readonly kind: "pass" | "ignore" | "reject" };

/** A service whose requests and responses are messages on reserved topics. */
export interface TopicService {
  ruleOf(topic: string): TopicRule;
}

/** The requests to a service: a limited number at a time, and each message of QoS 1 once. */
export class ServiceRequests {
  readonly #deduplicator: PublishDeduplicator<readonly ServiceMessage[]>;
  readonly #slots: RequestSlots;
  /** Includes requests of clients that have disconnected since. */
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(clock: Clock, limits: MqttLimits) {
    this.#slots = new RequestSlots(limits.allRequestsInFlight);
    this.#deduplicator = new PublishDeduplicator({ clock, limits, bytesOf: sizeOf });
  }

  /** Resolves to true once a request may run; {@link perform} must follow at once. Resolves to false after {@link close}. */
  mayRun(): Promise<boolean> {
    return this.#slots.take();
  }

  /** Performs the request of a packet. `clientId` identifies the session. Never rejects. */
  perform(
    rule: TopicRule & { readonly kind: "request" },
    packet: IPublishPacket,
    clientId: string,
  ): Promise<readonly ServiceMessage[]> {
    const { topic, qos, messageId, dup: isRepeated } = packet;
    const payload = Buffer.from(packet.payload);
    const work = () => rule.perform(payload);
    const answers =
      qos === 0 || messageId === undefined
        ? work()
        : this.#deduplicator.once({ clientId, messageId, topic, payload, isRepeated }, work);
    this.#inFlight.add(answers);
    return answers.finally(() => {
      this.#inFlight.delete(answers);
      this.#slots.release();
    });
  }

  /** The unanswered requests. */
  inFlight(): readonly Promise<unknown>[] {
    return [...this.#inFlight];
  }

  /** No further request runs. */
  close(): void {
    this.#slots.close();
  }
}

function sizeOf(messages: readonly ServiceMessage[]): number {
  return messages.reduce((sum, { topic, payload }) => sum + topic.length + Buffer.byteLength(payload), 0);
}
