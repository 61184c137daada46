import type { Clock } from "@tablekeep/core";
import type { IPublishPacket } from "mqtt-packet";
import type { MqttLimits } from "../protocol/mqtt-limits.ts";
import { type MqttMessage, messageOf } from "../protocol/mqtt-message.ts";
import { type Reason, reason, Violation } from "../protocol/reason-codes.ts";
import { isTopicName } from "../protocol/topic-names.ts";
import { type MqttSession, mayPublish } from "../sessions/mqtt-session.ts";
import type { ServiceMessage, TopicRule } from "./topic-service.ts";

type RequestRule = TopicRule & { readonly kind: "request" };

/** Dependencies of published messages on the broker. */
export interface PublishBroker {
  readonly clock: Clock;
  readonly limits: MqttLimits;
  ruleOf(topic: string): TopicRule;
  /** Sends a message to its subscribers. Resolves once it is stored for persistent sessions; undefined if nothing has to be stored. */
  publish(message: MqttMessage, from?: MqttSession): Promise<unknown> | undefined;
  /** Resolves to true once a request may run; call {@link request} in the same turn. Resolves to false if the server stops. */
  mayRequest(): Promise<boolean>;
  /** Performs a request. Never rejects. */
  request(
    rule: RequestRule,
    packet: IPublishPacket,
    session: MqttSession,
  ): Promise<readonly ServiceMessage[]>;
}

/** The client that publishes. */
export interface Publisher {
  readonly session: MqttSession;
  /** Whether the client gets reason codes (MQTT 5). */
  readonly hasReasonCodes: boolean;
  readonly acknowledge: (packet: IPublishPacket, code: Reason) => void;
  /** Called with an unexpected error. */
  readonly onFailed: (error: unknown) => void;
}

/** The work that must end before a message is acknowledged, and the reason code of the acknowledgment. */
interface Work {
  readonly answers?: Promise<readonly ServiceMessage[]>;
  readonly stored?: Promise<unknown>;
  readonly code?: Reason;
}

/**
 * The messages that one client publishes. Requests run concurrently, up to a limit; their responses and acknowledgments are sent in the
 * order of the messages.
 */
export class IncomingMessages {
  readonly #broker: PublishBroker;
  readonly #publisher: Publisher;
  /** Messages that are not acknowledged yet, in order. */
  readonly #inFlight: Promise<void>[] = [];
  #last: Promise<void> = Promise.resolve();
  /** The current second, and the number of messages in it. */
  #second = 0;
  #count = 0;

  constructor(broker: PublishBroker, publisher: Publisher) {
    this.#broker = broker;
    this.#publisher = publisher;
  }

  /** Resolves once all messages so far are handled. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /** Handles a message. Returns a promise if the next one has to wait. */
  handle(packet: IPublishPacket): Promise<void> | undefined {
    const { topic, qos } = packet;
    const { limits, clock } = this.#broker;
    const { session, hasReasonCodes } = this.#publisher;
    if (qos === 2) throw new Violation(reason.qosNotSupported, "QoS 2 is not supported");
    if (!isTopicName(topic, limits)) throw new Violation(reason.topicNameInvalid, "the topic is invalid");
    const canReject = qos === 1 && hasReasonCodes;
    if (!this.#isWithinRate()) {
      // Without reason codes, the message stays unacknowledged, so that the client sends it again.
      return canReject ? this.#acknowledge(packet, { code: reason.quotaExceeded }) : undefined;
    }
    const rule = this.#broker.ruleOf(topic);
    if (rule.kind === "reject" || !mayPublish(session.identity.access, packet)) {
      if (!canReject) throw new Violation(reason.notAuthorized, `the client may not publish to ${topic}`);
      return this.#acknowledge(packet, { code: reason.notAuthorized });
    }
    if (rule.kind === "request") return this.#request(rule, packet);
    const stored =
      rule.kind === "ignore" ? undefined : this.#broker.publish(messageOf(packet, clock.now()), session);
    return stored === undefined && qos === 0 ? undefined : this.#acknowledge(packet, { stored });
  }

  /** Performs a request once it may run. As on AWS, subscribers of its topic also receive it. */
  async #request(rule: RequestRule, packet: IPublishPacket): Promise<void> {
    const { session } = this.#publisher;
    if (!(await this.#broker.mayRequest())) return;
    const answers = this.#broker.request(rule, packet, session);
    const stored = this.#broker.publish(messageOf(packet, this.#broker.clock.now()), session);
    await this.#acknowledge(packet, { answers, stored });
  }

  /**
   * Publishes the responses to a message and acknowledges it, once its work has ended and all earlier messages are acknowledged. Returns a
   * promise if too many are in flight.
   */
  #acknowledge(packet: IPublishPacket, work: Work): Promise<void> | undefined {
    const { answers, stored, code = reason.success } = work;
    const { acknowledge, onFailed } = this.#publisher;
    const before = this.#last;
    const turn = (async () => {
      // Awaited together, so that no rejection is unhandled.
      const [messages = []] = await Promise.all([answers, stored, before]);
      const delivered = messages.flatMap((message) => this.#broker.publish({ ...message, qos: 1 }) ?? []);
      if (delivered.length > 0) await Promise.all(delivered);
      if (packet.qos === 1) acknowledge(packet, code);
    })()
      .catch(onFailed)
      .finally(() => void this.#inFlight.shift());
    this.#last = turn;
    this.#inFlight.push(turn);
    return this.#inFlight.length >= this.#broker.limits.requestsInFlight ? this.#inFlight[0] : undefined;
  }

  #isWithinRate(): boolean {
    const { limits, clock } = this.#broker;
    if (limits.publishesPerSecond === 0) return true;
    const second = Math.floor(clock.monotonic() / 1000);
    this.#count = second === this.#second ? this.#count + 1 : 1;
    this.#second = second;
    return this.#count <= limits.publishesPerSecond;
  }
}
