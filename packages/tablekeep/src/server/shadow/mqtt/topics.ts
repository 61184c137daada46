import { isShadowTopic, parseShadowTopic, type ShadowTopic } from "@tablekeep/shadow";
import type { MqttLimits } from "./mqtt-limits.ts";

/** The qualities of service that the broker offers. */
export type Qos = 0 | 1;

interface Node<Subscriber> {
  readonly children: Map<string, Node<Subscriber>>;
  readonly subscribers: Map<Subscriber, Qos>;
}

/** Subscriptions by topic filter. Finding the subscribers of a topic costs as much as the filters that can match it. */
export class TopicTree<Subscriber> {
  readonly #root = emptyNode<Subscriber>();

  /** Adds a subscription, or changes its QoS. */
  add(filter: string, subscriber: Subscriber, qos: Qos): void {
    let node = this.#root;
    for (const level of filter.split("/")) {
      let next = node.children.get(level);
      if (next === undefined) {
        next = emptyNode();
        node.children.set(level, next);
      }
      node = next;
    }
    node.subscribers.set(subscriber, qos);
  }

  remove(filter: string, subscriber: Subscriber): void {
    const path: { readonly parent: Node<Subscriber>; readonly level: string }[] = [];
    let node = this.#root;
    for (const level of filter.split("/")) {
      const next = node.children.get(level);
      if (next === undefined) return;
      path.push({ parent: node, level });
      node = next;
    }
    node.subscribers.delete(subscriber);
    for (const { parent, level } of path.reverse()) {
      const child = parent.children.get(level);
      if (child === undefined || child.subscribers.size > 0 || child.children.size > 0) return;
      parent.children.delete(level);
    }
  }

  /** Each subscriber of a topic once, with the highest QoS of its filters that match. */
  match(topic: string): Map<Subscriber, Qos> {
    const levels = topic.split("/");
    const found = new Map<Subscriber, Qos>();
    const take = (node: Node<Subscriber> | undefined) => {
      for (const [subscriber, qos] of node?.subscribers ?? [])
        if (qos > (found.get(subscriber) ?? -1)) found.set(subscriber, qos);
    };
    const visit = (node: Node<Subscriber>, depth: number): void => {
      // A wildcard at the first level does not match topics that begin with $.
      const takesWildcards = depth > 0 || !topic.startsWith("$");
      if (takesWildcards) take(node.children.get("#"));
      const level = levels[depth];
      if (level === undefined) {
        take(node);
        return;
      }
      for (const name of takesWildcards && level !== "+" ? [level, "+"] : [level]) {
        const next = node.children.get(name);
        if (next !== undefined) visit(next, depth + 1);
      }
    };
    visit(this.#root, 0);
    return found;
  }
}

function emptyNode<Subscriber>(): Node<Subscriber> {
  return { children: new Map(), subscribers: new Map() };
}

type TopicLimits = Pick<MqttLimits, "topicBytes" | "topicLevels">;

/** Whether this is a valid topic: no wildcards, not empty, within the limits. */
export function isTopicName(topic: string, limits: TopicLimits): boolean {
  return fits(topic, limits) && !/[+#]/.test(topic);
}

/** Whether this is a topic filter: wildcards only as whole levels, `#` only at the end. */
export function isTopicFilter(filter: string, limits: TopicLimits): boolean {
  if (!fits(filter, limits)) return false;
  const levels = filter.split("/");
  return levels.every(
    (level, at) => !/[+#]/.test(level) || level === "+" || (level === "#" && at === levels.length - 1),
  );
}

function fits(topic: string, { topicBytes, topicLevels }: TopicLimits): boolean {
  if (topic === "" || topic.includes("\0") || Buffer.byteLength(topic) > topicBytes) return false;
  return topic.split("/", topicLevels + 1).length <= topicLevels;
}

/** The permissions of a client for topics. */
export interface TopicUser {
  /** The only thing that it may reach. @default all */
  readonly thing?: string;
}

/** What happens to a message: a request is answered, `pass` goes to subscribers, `ignore` is acknowledged and dropped. */
export type PublishRule =
  | { readonly kind: "request"; readonly request: ShadowTopic }
  | { readonly kind: "pass" | "ignore" | "reject" };

/**
 * The rule for a message on a topic. Other services of AWS IoT, such as jobs, are not served: their requests are ignored,
 * so that a device that uses them keeps its connection. Answers come from the server only.
 */
export function publishRule(topic: string, { thing }: TopicUser): PublishRule {
  if (!topic.startsWith("$")) return { kind: thing === undefined ? "pass" : "reject" };
  if (!topic.startsWith("$aws/")) return { kind: "reject" };
  if (thing !== undefined && !isWithin(topic, thing)) return { kind: "reject" };
  const request = parseShadowTopic(topic);
  if (request === undefined) return { kind: isShadowTopic(topic) ? "reject" : "ignore" };
  return request.answer === undefined ? { kind: "request", request } : { kind: "reject" };
}

/** Whether a client may subscribe to a filter. A client that is limited to its thing may only subscribe to that thing. */
export function maySubscribe(filter: string, { thing }: TopicUser): boolean {
  if (thing === undefined) return !filter.startsWith("$") || filter.startsWith("$aws/");
  return isWithin(filter, thing);
}

/** A user whose name cannot be the name of a thing, such as `+`, has none. */
const thingName = /^[a-zA-Z0-9:_-]{1,128}$/;

function isWithin(topic: string, thing: string): boolean {
  return thingName.test(thing) && topic.startsWith(`$aws/things/${thing}/`);
}
