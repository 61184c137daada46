import fc from "fast-check";
import { expect, test } from "vitest";
import { mqttLimits } from "../protocol/mqtt-limits.ts";
import type { Qos } from "../protocol/mqtt-message.ts";
import { isTopicFilter, isTopicName, matchesFilter, parseSharedFilter } from "../protocol/topic-names.ts";
import { TopicTree } from "./topic-tree.ts";

/** MQTT 3.1.1, section 4.7, as a regular expression over the whole topic. */
function matches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && /^[+#]/.test(filter)) return false;
  const pattern = filter
    .split("/")
    .map((level) => (level === "+" ? "[^/]*" : level === "#" ? "#" : level.replace(/[$]/g, "\\$&")))
    .join("/")
    .replace(/^#$/, ".*")
    .replace(/\/#$/, "(?:/.*)?");
  return new RegExp(`^${pattern}$`).test(topic);
}

const level = fc.constantFrom("", "a", "b", "$aws");
const topics = fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join("/"));
const filters = fc
  .tuple(fc.array(fc.oneof(level, fc.constant("+")), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([levels, isOpen]) => [...levels, ...(isOpen ? ["#"] : [])].join("/"))
  .chain((filter) => fc.constantFrom(filter, filter, "#"));

test("subscribers are found by MQTT's rules, after any subscriptions and cancellations", () => {
  const step = fc.record({
    isAdded: fc.boolean(),
    filter: filters,
    subscriber: fc.nat(3),
    qos: fc.constantFrom<Qos>(0, 1),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), topics, (steps, topic) => {
      const tree = new TopicTree<number, Qos>();
      const model = new Map<string, { filter: string; subscriber: number; qos: Qos }>();
      for (const { isAdded, filter, subscriber, qos } of steps) {
        const key = `${subscriber} ${filter}`;
        if (isAdded) {
          tree.add(filter, subscriber, qos);
          model.set(key, { filter, subscriber, qos });
        } else {
          tree.remove(filter, subscriber);
          model.delete(key);
        }
      }
      const expected = new Map<number, Qos>();
      for (const { filter, subscriber, qos } of model.values())
        if (matches(filter, topic)) expected.set(subscriber, expected.get(subscriber) === 1 ? 1 : qos);
      const found = [...tree.match(topic)].map(([one, all]) => [one, Math.max(...all)] as const);
      expect(new Map(found)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test("validates topics and filters", () => {
  for (const topic of ["a", "/", "a//b", "$aws/x", "ü"]) expect(isTopicName(topic, mqttLimits)).toBe(true);
  for (const topic of ["", "a+", "a/#", "a\0", "x".repeat(513), "/".repeat(16)])
    expect(isTopicName(topic, mqttLimits)).toBe(false);
  for (const filter of ["#", "+", "a/+/b", "+/#", "/".repeat(15)])
    expect(isTopicFilter(filter, mqttLimits)).toBe(true);
  for (const filter of ["", "a#", "#/a", "a+/b", "a/b+", "x\0", "x".repeat(513), "/".repeat(16)])
    expect(isTopicFilter(filter, mqttLimits)).toBe(false);
});

test("a topic matches a filter by MQTT's rules", () => {
  fc.assert(
    fc.property(filters, topics, (filter, topic) => {
      expect(matchesFilter(topic, filter)).toBe(matches(filter, topic));
    }),
    { numRuns: 2000 },
  );
});

test("reads the group of a shared filter", () => {
  expect(parseSharedFilter("$share/group/a/+/#")).toEqual({ filter: "a/+/#", group: "group" });
  expect(parseSharedFilter("a/b")).toEqual({ filter: "a/b" });
  for (const wrong of ["$share/", "$share/g", "$share/g/", "$share//a", "$share/+/a", "$share/a#/b"])
    expect([wrong, parseSharedFilter(wrong)]).toEqual([wrong, undefined]);
});
