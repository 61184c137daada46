import { parseShadowTopic, type ShadowTopic } from "@tablekeep/shadow";

/** What a client may do with topics. */
export interface TopicUser {
  /** The only thing that it may reach. @default all */
  readonly thing?: string | undefined;
}

/** What happens to a message: a request is answered, `pass` goes to subscribers, `ignore` is acknowledged and dropped. */
export type PublishRule =
  | { readonly kind: "request"; readonly request: ShadowTopic }
  | { readonly kind: "pass" | "ignore" | "refuse" };

/**
 * The rule for a message on a topic. Other services of AWS IoT, such as jobs, are not served: their requests are ignored,
 * so that a device that uses them keeps its connection. Answers come from the server only.
 */
export function publishRule(topic: string, { thing }: TopicUser): PublishRule {
  if (!topic.startsWith("$")) return { kind: thing === undefined ? "pass" : "refuse" };
  if (!topic.startsWith("$aws/")) return { kind: "refuse" };
  if (thing !== undefined && !isWithin(topic, thing)) return { kind: "refuse" };
  const request = parseShadowTopic(topic);
  if (request === undefined) return { kind: isOfShadows(topic) ? "refuse" : "ignore" };
  return request.answer === undefined ? { kind: "request", request } : { kind: "refuse" };
}

/** Whether a client may subscribe to a filter. A client that is limited to its thing may ask for that thing only. */
export function maySubscribe(filter: string, { thing }: TopicUser): boolean {
  if (thing === undefined) return !filter.startsWith("$") || filter.startsWith("$aws/");
  return isWithin(filter, thing);
}

/** A user whose name cannot be the name of a thing, such as `+`, has none. */
const thingName = /^[a-zA-Z0-9:_-]{1,128}$/;

function isWithin(topic: string, thing: string): boolean {
  return thingName.test(thing) && topic.startsWith(`$aws/things/${thing}/`);
}

function isOfShadows(topic: string): boolean {
  return /^\$aws\/things\/[^/]*\/shadow(?:\/|$)/.test(topic);
}
