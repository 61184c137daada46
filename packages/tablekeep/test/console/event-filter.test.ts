import { expect, test } from "vitest";
import { matchesFilter, parseEventFilter } from "../../console/journal/event-filter.ts";
import type { ShownEvent } from "../../console/journal/shown-event.ts";

const event = (more: Partial<ShownEvent>) =>
  ({ manifest: "", payload: null, tags: [], ...more }) as unknown as ShownEvent;

test("parses words, fields and quotes", () => {
  expect(parseEventFilter('Apple type:Cart.Added tag:"Two words" "red pear" tag:shop')).toEqual({
    types: ["cart.added"],
    tags: ["two words", "shop"],
    texts: ["apple", "red pear"],
  });
  expect(parseEventFilter("  ")).toEqual({ types: [], tags: [], texts: [] });
});

test.each([
  ["type:added", event({ manifest: "cart.Added" }), true],
  ["type:added", event({ payload: { type: "added" } }), true],
  ["type:added", event({ payload: { kind: "ADDED" } }), true],
  ["type:added", event({ payload: { note: "added" } }), false],
  ["tag:shop", event({ tags: ["Shop"] }), true],
  ["tag:shop", event({ tags: ["workshop"] }), false],
  ["apple pear", event({ payload: { items: ["Apple", "pear"] } }), true],
  ["apple plum", event({ payload: { items: ["Apple", "pear"] } }), false],
  ["\"say 'a\\b'\"", event({ payload: "say 'a\\b'" }), true],
  ["trace-7", event({ metadata: { trace: "trace-7" } }), true],
])("%s: %o", (typed, given, matches) => {
  expect(matchesFilter(parseEventFilter(typed), given)).toBe(matches);
});
