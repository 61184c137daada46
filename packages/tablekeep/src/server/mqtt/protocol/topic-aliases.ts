import type { IPublishPacket } from "mqtt-packet";
import { reason, Violation } from "./reason-codes.ts";

/** A topic in the form in which it is sent: with an alias, which replaces it from the second time on. */
export interface AliasedTopic {
  readonly topic: string;
  readonly properties?: { readonly topicAlias: number };
}

/** The topic aliases of one connection of MQTT 5, in each direction. */
export class TopicAliases {
  readonly #limits: { readonly incoming: number; readonly outgoing: number };
  readonly #incoming = new Map<number, string>();
  readonly #outgoing = new Map<string, number>();

  constructor(limits: { readonly incoming: number; readonly outgoing: number }) {
    this.#limits = limits;
  }

  /** The topic of a message that the client sent. */
  incoming({ topic, properties }: IPublishPacket): string {
    const alias = properties?.topicAlias;
    if (alias === undefined) return topic;
    if (alias < 1 || alias > this.#limits.incoming)
      throw new Violation(
        reason.topicAliasInvalid,
        `topic alias ${alias} is not between 1 and ${this.#limits.incoming}`,
      );
    if (topic !== "") this.#incoming.set(alias, topic);
    const known = this.#incoming.get(alias);
    if (known === undefined) throw new Violation(reason.protocolError, `topic alias ${alias} has no topic`);
    return known;
  }

  /** A topic for a message to the client. The first topics get aliases. */
  outgoing(topic: string): AliasedTopic {
    const known = this.#outgoing.get(topic);
    if (known !== undefined) return { topic: "", properties: { topicAlias: known } };
    if (this.#outgoing.size >= this.#limits.outgoing) return { topic };
    const alias = this.#outgoing.size + 1;
    this.#outgoing.set(topic, alias);
    return { topic, properties: { topicAlias: alias } };
  }

  /** Releases the alias that was chosen last: the client has not received it. */
  forget(topic: string): void {
    this.#outgoing.delete(topic);
  }
}
