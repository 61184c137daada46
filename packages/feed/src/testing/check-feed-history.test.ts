import { describe, expect, test } from "vitest";
import { checkFeedHistory } from "./check-feed-history.ts";
import type { FeedHistory, SeenFeedEvent } from "./feed-history.ts";

/** Two ids in two slices; the text of an event is its id and number. */
const feed: readonly SeenFeedEvent[] = ["a", "b", "a", "a", "b", "a"].map((persistenceId, at, ids) => {
  const offset = ids.slice(0, at).filter((id) => id === persistenceId).length;
  return {
    persistenceId,
    sequenceNr: offset + 1,
    slice: persistenceId === "a" ? 0 : 1,
    offset,
    late: false,
    position: `p${at}`,
    text: `${persistenceId}${offset + 1}`,
  };
});

/** A reader that was killed after four events and resumes, another that reads at once, and a projection on its way. */
const right: FeedHistory = {
  acknowledged: feed.map(({ persistenceId, text }) => ({ persistenceId, text })),
  readers: [
    {
      reader: "live",
      isComplete: true,
      readings: [
        { from: "start", events: feed.slice(0, 4) },
        { from: "p3", events: feed.slice(4) },
      ],
    },
    { reader: "once", isComplete: true, readings: [{ from: "start", events: feed }] },
  ],
  projections: [
    {
      projection: "lists",
      offsets: new Map([
        [0, 3],
        [1, 1],
      ]),
      applied: new Map([
        ["a", [1, 2, 3]],
        ["b", [1]],
      ]),
    },
  ],
};

/** The history in which the one reader that is left has read these events. */
const read = (events: readonly SeenFeedEvent[]): FeedHistory => ({
  ...right,
  readers: [{ reader: "once", isComplete: true, readings: [{ from: "start", events }] }],
  projections: [],
});
/** The same for a reader that resumes. */
const resumed = (from: string, events: readonly SeenFeedEvent[]): FeedHistory => ({
  acknowledged: [],
  readers: [
    {
      reader: "live",
      isComplete: false,
      readings: [
        { from: "start", events: feed.slice(0, 4) },
        { from, events },
      ],
    },
  ],
});
/** The same for a projection. */
const applied = (a: readonly number[], b: readonly number[]): FeedHistory => ({
  ...right,
  projections: right.projections?.map((state) => ({
    ...state,
    applied: new Map([
      ["a", a],
      ["b", b],
    ]),
  })),
});
const swapped = (one: number, other: number) =>
  feed.map((event, at) => {
    const from = feed[at === one ? other : at === other ? one : at] ?? event;
    return { ...event, sequenceNr: from.sequenceNr, text: from.text };
  });

const planted: readonly (readonly [string, string, FeedHistory])[] = [
  ["F1", "loses the last event", read(feed.slice(0, -1))],
  ["F1", "has an event at another id", { ...read(feed), acknowledged: [{ persistenceId: "b", text: "a1" }] }],
  ["F2", "has an event twice", read([...feed, { ...(feed[5] as SeenFeedEvent), offset: 4 }])],
  ["F3", "swaps two events of an id", read(swapped(2, 3))],
  [
    "F3",
    "lacks the first event of an id",
    read(feed.map((event) => ({ ...event, sequenceNr: event.sequenceNr + 1 }))),
  ],
  ["F4", "skips an offset", read(feed.map((event, at) => (at === 5 ? { ...event, offset: 4 } : event)))],
  ["F4", "begins at offset 1", read(feed.map((event) => ({ ...event, offset: event.offset + 1 })))],
  [
    "F4",
    "assigns an offset twice",
    read(feed.map((event, at) => (at === 2 ? { ...event, offset: 0 } : event))),
  ],
  [
    "F5",
    "resumes behind an event",
    resumed(
      "p3",
      feed.slice(5).map((event) => ({ ...event, offset: 4 })),
    ),
  ],
  ["F5", "resumes before the position", resumed("p1", feed.slice(3))],
  ["F5", "resumes at a position that was never read", resumed("p9", feed.slice(4))],
  [
    "F6",
    "shows two readers different events",
    { ...right, readers: [...right.readers, ...read(swapped(2, 3)).readers], projections: [] },
  ],
  ["F7", "applies an event twice", applied([1, 2, 2, 3], [1])],
  ["F7", "skips an event", applied([1, 3], [1])],
  ["F7", "applies events out of order", applied([1, 3, 2], [1])],
  ["F7", "applies an event behind its position", applied([1, 2, 3], [1, 2])],
  ["F7", "moves its position without applying", applied([1, 2, 3], [])],
];

describe("the history of a feed", () => {
  test("has no violation if the feed is right, also of events that are flagged as late", () => {
    expect(checkFeedHistory(right)).toEqual([]);
    const late = swapped(2, 3).map((event) => (event.text === "a2" ? { ...event, late: true } : event));
    const rules = checkFeedHistory(read(late)).map(({ message }) => message);
    expect(rules).toEqual([expect.stringContaining("a3")]);
  });

  test.each(planted)("violates %s if the feed %s", (rule, _what, history) => {
    expect(checkFeedHistory(history).map((violation) => violation.rule)).toContain(rule);
  });

  test("has a planted fault for every rule", () => {
    expect([...new Set(planted.map(([rule]) => rule))]).toEqual(["F1", "F2", "F3", "F4", "F5", "F6", "F7"]);
  });
});
