import { parseShadowTopic } from "@tablekeep/shadow";

/** Who an MQTT client is, as far as topics are concerned. */
export interface TopicUser {
  /** The only thing that it may reach. @default all */
  readonly thing?: string | undefined;
}

/** Whether a client may publish to a topic. Answers are the service's own, and so is all else under `$`. */
export function mayPublish(topic: string, { thing }: TopicUser): boolean {
  const shadow = parseShadowTopic(topic);
  if (shadow === undefined) return !topic.startsWith("$") && thing === undefined;
  return shadow.answer === undefined && (thing === undefined || shadow.thingName === thing);
}

/** Whether a client may subscribe to a filter. One that is bound to a thing may ask only for that. */
export function maySubscribe(filter: string, { thing }: TopicUser): boolean {
  if (thing === undefined) return !filter.startsWith("$") || filter.startsWith("$aws/");
  return filter.startsWith(`$aws/things/${thing}/shadow/`);
}
