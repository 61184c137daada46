import { describe, expect, test } from "vitest";
import { checkShadowHistory, type ShadowHistoryEntry } from "./check-shadow-history.ts";

const key = "lamp";
type Step = Pick<ShadowHistoryEntry, "operation"> & Partial<ShadowHistoryEntry>;
const write = (text: string, version: number, expected?: number): Step => ({
  operation: { kind: "write", key, text, expected },
  value: { version },
});
const lost = (text: string): Step => ({
  operation: { kind: "write", key, text },
  outcome: "unknown",
  ended: Number.POSITIVE_INFINITY,
});
const rejected = (text: string): Step => ({ operation: { kind: "write", key, text }, outcome: "conflict" });
const read = (version?: number, text?: string): Step => ({
  operation: { kind: "read", key },
  value: { version, text },
});
const remove = (version: number, expected?: number): Step => ({
  operation: { kind: "delete", key, expected },
  value: { version },
});
/** One after the other, unless a step has its own times. */
const rulesOf = (...steps: readonly Step[]) => {
  const operations = steps.map(
    (each, at): ShadowHistoryEntry => ({ invoked: 2 * at, ended: 2 * at + 1, outcome: "ok", ...each }),
  );
  return [...new Set(checkShadowHistory(operations).map(({ rule }) => rule))];
};
const base = [read(), write("a", 1, 0), read(1, "a"), write("b", 2, 1)];

describe("a correct history passes:", () => {
  test.each<[string, Step[]]>([
    ["writes, reads and a deletion", [read(2, "b"), remove(2), read(), write("c", 3), read(3, "c")]],
    ["a write of unknown outcome that is seen", [lost("c"), read(3, "c"), write("d", 4)]],
    ["one that is not seen, but took its version", [lost("c"), write("d", 4)]],
    ["one that never happened", [lost("c"), read(2, "b"), write("d", 3)]],
    ["a rejected write that is not seen", [rejected("c"), read(2, "b")]],
    [
      "what overlaps, in either order",
      [
        { ...write("c", 3), invoked: 100, ended: 110 },
        { ...read(2, "b"), invoked: 101, ended: 105 },
      ],
    ],
  ])("%s", (_name, steps) => {
    expect(rulesOf(...base, ...steps)).toEqual([]);
  });
});

describe("every rule detects its violation:", () => {
  test.each<[string, string, Step[]]>([
    ["L1", "two writes have one version", [write("c", 2)]],
    ["L1", "one write has two versions", [lost("c"), read(3, "c"), read(4, "c")]],
    ["L1", "a read shows another text than was written", [read(2, "x")]],
    ["L2", "a later write has an earlier version", [lost("d"), write("c", 4), write("e", 3)]],
    ["L2", "a read is stale", [read(1, "a")]],
    ["L2", "two reads go back", [lost("c"), read(3, "c"), read(2, "b")]],
    ["L2", "a deleted version is read", [remove(2), read(2, "b")]],
    ["L2", "a version is deleted twice", [remove(2), remove(2)]],
    ["L3", "a read finds nothing where nothing was deleted", [read()]],
    ["L3", "a read finds nothing after the shadow was created again", [remove(2), write("c", 3), read()]],
    ["L3", "a write is read before it began", [read(3, "c"), write("c", 3)]],
    ["L4", "a write skips a version", [lost("x"), write("c", 4, 2)]],
    ["L4", "a delete takes another version", [remove(2, 1)]],
    ["L5", "a rejected write is read", [rejected("c"), read(3, "c")]],
    ["L6", "a version has no write", [write("d", 4)]],
  ])("%s: %s", (rule, _bug, steps) => {
    expect(rulesOf(...base, ...steps)).toContain(rule);
  });
});
