import type { Clock } from "@tablekeep/core";
import type { MqttMessage } from "../protocol/mqtt-message.ts";
import { parseSharedFilter } from "../protocol/topic-names.ts";
import type { MqttSession, Subscription } from "../sessions/mqtt-session.ts";
import type { RetainedMessages } from "./retained-messages.ts";

/** Dependencies of the delivery. */
export interface RetainedDeliveryOptions {
  readonly retained: Pick<RetainedMessages, "matching">;
  readonly clock: Clock;
  /** Called when messages of a session cannot be stored. */
  readonly onFailed: (session: MqttSession, error: unknown) => void;
}

/** The retained messages of one subscription. */
interface Delivery {
  options: Subscription;
  messages: Iterator<MqttMessage>;
}

/**
 * Sends retained messages to clients that subscribe, as fast as these read and acknowledge them: there may be many more than the limit of messages that wait for one
 * client.
 */
export class RetainedDelivery {
  readonly #options: RetainedDeliveryOptions;
  /** One for each subscription: a client that subscribes again gets the messages from the beginning. */
  readonly #running = new WeakMap<MqttSession, Map<string, Delivery>>();

  constructor(options: RetainedDeliveryOptions) {
    this.#options = options;
  }

  /** Starts sending the messages of a subscription. The first ones are sent at once. `name` is the filter as the client wrote it. */
  start(session: MqttSession, name: string, options: Subscription): void {
    const { retained, clock, onFailed } = this.#options;
    const shared = parseSharedFilter(name);
    if (shared === undefined || shared.group !== undefined) return;
    const messages = retained.matching(shared.filter, () => clock.now());
    const running = this.#running.get(session) ?? new Map<string, Delivery>();
    this.#running.set(session, running);
    const known = running.get(name);
    if (known !== undefined) {
      Object.assign(known, { options, messages });
      return;
    }
    const delivery = { options, messages };
    running.set(name, delivery);
    this.#run(session, name, delivery)
      .catch((error: unknown) => onFailed(session, error))
      .finally(() => running.delete(name));
  }

  /** If the connection of a persistent session ends, the remaining messages are queued. */
  async #run(session: MqttSession, name: string, delivery: Delivery): Promise<void> {
    for (;;) {
      for (let wait = session.untilReady(); wait !== undefined; wait = session.untilReady()) await wait;
      const { value: message, done } = delivery.messages.next();
      if (done === true || session.subscriptions.get(name) !== delivery.options) return;
      session
        .deliver(message, delivery.options, { isRetained: true })
        ?.catch((error: unknown) => this.#options.onFailed(session, error));
    }
  }
}
