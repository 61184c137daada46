import type { Clock, Logger } from "@tablekeep/core";
import type { MqttLimits } from "../protocol/mqtt-limits.ts";
import type { MqttMessage } from "../protocol/mqtt-message.ts";
import type { MqttSession, Subscription } from "../sessions/mqtt-session.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { RetainedDelivery } from "./retained-delivery.ts";
import { RetainedMessages } from "./retained-messages.ts";
import { type MessageReceiver, Subscriptions } from "./subscriptions.ts";

/** Dependencies of a router. */
export interface MessageRouterOptions {
  readonly store: Pick<SessionStore, "saveRetained">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: MqttLimits;
  /** Called when a message cannot be delivered to a session, or stored for it. */
  readonly onFailed: (session: MqttSession, error: unknown) => void;
}

/** Delivers messages to the sessions that subscribed to their topics, and retains them. No session waits for another. */
export class MessageRouter {
  readonly subscriptions: Subscriptions = new Subscriptions();
  readonly retained: RetainedMessages;
  readonly #options: MessageRouterOptions;
  readonly #retainedDelivery: RetainedDelivery;

  constructor(options: MessageRouterOptions) {
    const { clock, limits, onFailed } = options;
    this.#options = options;
    this.retained = new RetainedMessages(limits);
    this.#retainedDelivery = new RetainedDelivery({ retained: this.retained, clock, onFailed });
  }

  /** Sends a message to its subscribers. Resolves once it is stored for persistent sessions; undefined if nothing has to be stored. */
  publish(message: MqttMessage, from?: MqttSession): Promise<unknown> | undefined {
    const stored: Promise<unknown>[] = [];
    // AWS: messages on reserved topics are not retained.
    if (message.retain === true && !message.topic.startsWith("$")) stored.push(this.#retain(message));
    for (const receiver of this.subscriptions.receivers(message, from)) {
      const saved = this.#deliver(message, receiver);
      if (saved !== undefined) stored.push(saved);
    }
    return stored.length === 0 ? undefined : Promise.all(stored);
  }

  /** Starts sending the retained messages of a subscription, as fast as the client reads them. */
  sendRetained(session: MqttSession, name: string, options: Subscription): void {
    this.#retainedDelivery.start(session, name, options);
  }

  /** MQTT 5: messages of shared subscriptions that an ending session has not acknowledged go to another member. */
  passOn(session: MqttSession): void {
    for (const { message, sharedAs = "" } of session.outbox.shared()) {
      const receiver = this.subscriptions.nextOf(sharedAs, message.topic);
      const stored = receiver && this.#deliver(message, receiver);
      stored?.catch((error: unknown) => this.#options.onFailed(receiver?.session ?? session, error));
    }
  }

  /** Retains a message, or removes the retained one if the message is empty or there are too many. */
  #retain(message: MqttMessage): Promise<unknown> {
    const { store, clock, logger } = this.#options;
    const now = clock.now();
    const kept = { ...message, retainedAt: now };
    const isKept = this.retained.set(kept, now);
    if (!isKept)
      logger.warn("MQTT message not retained: there are too many retained messages", {
        topic: message.topic,
      });
    return store.saveRetained(isKept ? kept : { ...kept, payload: "" });
  }

  #deliver(message: MqttMessage, { session, subscription, sharedAs }: MessageReceiver) {
    try {
      return session.deliver(message, subscription, { sharedAs });
    } catch (error) {
      this.#options.onFailed(session, error);
      return undefined;
    }
  }
}
