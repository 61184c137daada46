import type { MqttMessage } from "../protocol/mqtt-message.ts";
import { parseSharedFilter } from "../protocol/topic-names.ts";
import type { MqttSession, Subscription } from "../sessions/mqtt-session.ts";
import { TopicTree } from "./topic-tree.ts";

/** A group of sessions that share a subscription: each message goes to one of them, in turn. */
class SharedGroup {
  /** The shared subscription as its members specify it. */
  readonly name: string;
  readonly members = new Map<MqttSession, Subscription>();
  #turn = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Returns the next member that may receive messages on a topic, a connected one if possible. */
  next(topic: string): MessageReceiver | undefined {
    const all = [...this.members].filter(([{ identity }]) => identity.access.mayReceive(topic));
    const connected = all.filter(([session]) => session.client !== undefined);
    const candidates = connected.length > 0 ? connected : all;
    const chosen = candidates[this.#turn++ % candidates.length];
    return chosen && { session: chosen[0], subscription: chosen[1], sharedAs: this.name };
  }
}

/** A session that receives a message. */
export interface MessageReceiver {
  readonly session: MqttSession;
  readonly subscription: Subscription;
  /** The shared subscription through which it receives the message; undefined for the session's own subscriptions. */
  readonly sharedAs?: string;
}

/** The subscriptions of all sessions. */
export class Subscriptions {
  readonly #tree = new TopicTree<MqttSession | SharedGroup, Subscription>();
  readonly #groups = new Map<string, SharedGroup>();

  /** Adds a subscription of a session, or changes its options. `name` is the filter as the client specified it. */
  add(session: MqttSession, name: string, options: Subscription): void {
    const { filter, group } = parseSharedFilter(name) ?? { filter: name };
    session.subscriptions.set(name, options);
    if (group === undefined) {
      this.#tree.add(filter, session, options);
      return;
    }
    const known = this.#groups.get(name) ?? new SharedGroup(name);
    this.#groups.set(name, known);
    known.members.set(session, options);
    this.#tree.add(filter, known, options);
  }

  /** Returns whether there was such a subscription. */
  remove(session: MqttSession, name: string): boolean {
    if (!session.subscriptions.delete(name)) return false;
    const { filter, group } = parseSharedFilter(name) ?? { filter: name };
    const shared = group === undefined ? undefined : this.#groups.get(name);
    if (shared === undefined) {
      this.#tree.remove(filter, session);
      return true;
    }
    shared.members.delete(session);
    if (shared.members.size > 0) return true;
    this.#groups.delete(name);
    this.#tree.remove(filter, shared);
    return true;
  }

  removeAll(session: MqttSession): void {
    for (const name of [...session.subscriptions.keys()]) this.remove(session, name);
  }

  /** Whether there are subscriptions to a topic. */
  has(topic: string): boolean {
    return this.#tree.has(topic);
  }

  /** The next session that receives a message of a shared subscription; undefined if there is none. */
  nextOf(sharedAs: string, topic: string): MessageReceiver | undefined {
    return this.#groups.get(sharedAs)?.next(topic);
  }

  /** Each session that receives a message, once for its own subscriptions and once per group, with the options that apply. */
  *receivers({ topic }: MqttMessage, from?: MqttSession): Generator<MessageReceiver> {
    for (const [subscriber, found] of this.#tree.match(topic)) {
      if (subscriber instanceof SharedGroup) {
        const next = subscriber.next(topic);
        if (next !== undefined) yield next;
        continue;
      }
      const options = found.filter(({ noLocal }) => !noLocal || subscriber !== from);
      const [first] = options.toSorted((one, other) => other.qos - one.qos);
      if (first === undefined) continue;
      const retainAsPublished = options.some((each) => each.retainAsPublished);
      yield { session: subscriber, subscription: { ...first, retainAsPublished } };
    }
  }
}
