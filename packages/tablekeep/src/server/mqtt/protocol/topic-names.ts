import type { MqttLimits } from "./mqtt-limits.ts";

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

/** Whether a topic matches a filter. */
export function matchesFilter(topic: string, filter: string): boolean {
  if (topic.startsWith("$") && /^[+#]/.test(filter)) return false;
  const [levels, wanted] = [topic.split("/"), filter.split("/")];
  for (const [at, level] of wanted.entries()) {
    if (level === "#") return true;
    if (at >= levels.length || (level !== "+" && level !== levels[at])) return false;
  }
  return levels.length === wanted.length;
}

/** A filter as a client subscribes to it, possibly together with others: `$share/{group}/{filter}`. */
export interface SharedFilter {
  readonly filter: string;
  /** Each message goes to one client of a group. @default every client gets every message */
  readonly group?: string;
}

/** Reads a filter of a subscription. Returns undefined for a shared one in the wrong form. */
export function parseSharedFilter(text: string): SharedFilter | undefined {
  if (!text.startsWith("$share/")) return { filter: text };
  const [, group, filter] = /^\$share\/([^/+#]+)\/(.+)$/s.exec(text) ?? [];
  return group === undefined || filter === undefined ? undefined : { filter, group };
}
