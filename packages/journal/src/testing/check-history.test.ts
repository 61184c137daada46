import { historyRecorder, operationsOf } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import type {
  JournalHistoryEntry,
  JournalHistoryOperation,
  JournalHistoryResult,
  SeenEvent,
  SeenWrite,
} from "./journal-history.ts";

const id = "cart-1";
type Replay = Extract<JournalHistoryOperation, { kind: "replay" }>;

/** Operations one after the other, in the order given. */
function inTurn(...operations: readonly Partial<JournalHistoryEntry>[]): JournalHistoryEntry[] {
  return operations.map(
    (each, at) => ({ invoked: 2 * at, ended: 2 * at + 1, outcome: "ok", ...each }) as JournalHistoryEntry,
  );
}
const recovered = (writerUuid: string, highest: number): Partial<JournalHistoryEntry> => ({
  operation: { kind: "recover", persistenceId: id },
  value: { writerUuid, highest },
});
const appended = (
  writerUuid: string,
  texts: readonly string[],
  seen: SeenWrite,
): Partial<JournalHistoryEntry> => ({
  operation: { kind: "append", persistenceId: id, writerUuid, writes: [texts] },
  value: { writes: [seen] },
});
const acked = (
  writerUuid: string,
  first: number,
  ...texts: readonly string[]
): Partial<JournalHistoryEntry> =>
  appended(writerUuid, texts, { kind: "ok", first, last: first + texts.length - 1 });
/** An append without a writer that was stored at `first`. */
const expecting = (expected: number | "none", first: number): Partial<JournalHistoryEntry> => ({
  operation: { kind: "append", persistenceId: id, writerUuid: "x", writes: [["x1"]], expected },
  value: { writes: [{ kind: "ok", first, last: first }] },
});
const deleted = (to: number): Partial<JournalHistoryEntry> => ({
  operation: { kind: "deleteTo", persistenceId: id, to },
});
const highest = (value: number): Partial<JournalHistoryEntry> => ({
  operation: { kind: "highest", persistenceId: id },
  value: { highest: value },
});
/** `replayed("1a", "2b")`: number 1 is `a`, by the writer of the text's first letter. */
const replayed = (...events: readonly string[]): Partial<JournalHistoryEntry> => replayedIn({}, ...events);
const replayedIn = (bounds: Partial<Replay>, ...events: readonly string[]): Partial<JournalHistoryEntry> => ({
  operation: { kind: "replay", persistenceId: id, ...bounds },
  value: { events: events.map(eventOf) },
});
function eventOf(short: string): SeenEvent {
  const [, number = "", text = ""] = /^(\d+)(.*)$/.exec(short) ?? [];
  return { sequenceNr: Number(number), text, writerUuid: text.slice(0, 1) };
}
const rulesOf = (...operations: readonly Partial<JournalHistoryEntry>[]) => [
  ...new Set(checkHistory(inTurn(...operations)).map(({ rule }) => rule)),
];

/** Writer a writes a1, a2+a3 (one write) and a4; writer b takes over and writes b1. */
const base = [
  recovered("a", 0),
  acked("a", 1, "a1"),
  acked("a", 2, "a2", "a3"),
  acked("a", 4, "a4"),
  recovered("b", 4),
  acked("b", 5, "b1"),
] as const;
const all = ["1a1", "2a2", "3a3", "4a4", "5b1"] as const;

describe("a history without fault", () => {
  test("passes", () => {
    expect(rulesOf(...base, replayed(...all), highest(5))).toEqual([]);
    expect(rulesOf(...base, deleted(2), replayed("3a3", "4a4", "5b1"), highest(5))).toEqual([]);
    expect(rulesOf(...base, replayedIn({ to: 2 }, "1a1"), replayedIn({ max: 2 }, "1a1"))).toEqual([]);
    expect(rulesOf(...base, replayedIn({ from: 3, to: 4 }, "3a3", "4a4"))).toEqual([]);
    const bounded = [replayedIn({ to: 2 }, "1a1"), replayedIn({ max: 2 }, "1a1"), replayedIn({ max: 0 })];
    expect(rulesOf(...base, replayed(...all), ...bounded)).toEqual([]);
    expect(rulesOf(...base, deleted(5), replayed(), highest(5), recovered("c", 5))).toEqual([]);
  });

  test("a write of unknown outcome may be there or not", () => {
    const unknown = appended("b", ["b2"], { kind: "unknown" });
    expect(rulesOf(...base, unknown, replayed(...all))).toEqual([]);
    expect(rulesOf(...base, unknown, replayed(...all, "6b2"))).toEqual([]);
  });

  test("concurrent operations may or may not see each other", () => {
    const [late, replay] = [acked("b", 6, "b2"), replayed(...all)].map((each) => ({
      ...each,
      invoked: 20,
      ended: 30,
    }));
    const before = inTurn(...base);
    expect(checkHistory([...before, late, replay] as JournalHistoryEntry[])).toEqual([]);
  });

  test("numbers taken by rows that never counted may be missing", () => {
    const operations = inTurn(
      recovered("a", 0),
      acked("a", 1, "a1"),
      acked("a", 3, "a2"),
      replayed("1a1", "3a2"),
    );
    expect(checkHistory(operations).map(({ rule }) => rule)).toEqual(["J2"]);
    expect(checkHistory(operations, { isTaken: (_id, number) => number === 2 })).toEqual([]);
  });

  test("is what testkit's recorder returns", async () => {
    const recorder = historyRecorder<JournalHistoryOperation, JournalHistoryResult>();
    const ask = { kind: "highest", persistenceId: id } as const;
    await recorder.call("a", ask, async () => ({ highest: 3 }));
    await recorder.call("a", ask, async () => ({ highest: 2 }));
    expect(checkHistory(operationsOf(recorder.events))).toMatchObject([{ rule: "J9", persistenceId: id }]);
  });
});

describe("every rule bites:", () => {
  const bugs: readonly (readonly [
    rule: string,
    bug: string,
    operations: readonly Partial<JournalHistoryEntry>[],
  ])[] = [
    ["J1", "an acknowledged event is lost at the end", [replayed(...all.slice(0, 4))]],
    ["J1", "an acknowledged event has other content", [replayed("1a1", "2a2", "3a3", "4aX", "5b1")]],
    ["J1", "an event is lost although only others were deleted", [deleted(1), replayed("3a3", "4a4", "5b1")]],
    ["J1", "a replay ends before a write that its limit has room for", [replayedIn({ max: 4 }, "1a1")]],
    ["J1", "a replay ends before a write that its bound includes", [replayedIn({ to: 4 }, "1a1")]],
    ["J2", "there is a gap in the middle", [replayed("1a1", "2a2", "3a3", "5b1")]],
    ["J2", "a replay begins too late", [replayed("4a4", "5b1")]],
    ["J3", "the end of a batch is missing", [replayedIn({ to: 2 }, "1a1", "2a2")]],
    ["J3", "a limit cuts a batch", [replayedIn({ max: 2 }, "1a1", "2a2")]],
    ["J3", "the beginning of a batch is missing", [replayed("1a1", "3a3", "4a4", "5b1")]],
    ["J4", "an earlier writer comes back", [acked("a", 6, "a5"), replayed(...all, "6a5")]],
    [
      "J4",
      "a writer that recovered earlier writes later",
      [recovered("c", 5), recovered("d", 5), acked("d", 6, "d1"), acked("c", 7, "c1")],
    ],
    [
      "J5",
      "a rejected event is seen",
      [appended("b", ["b2"], { kind: "rejected" }), replayed(...all, "6b2")],
    ],
    [
      "J5",
      "an event that lost to another is seen",
      [appended("b", ["b2"], { kind: "conflict" }), replayed(...all, "6b2")],
    ],
    ["J6", "an event is stored twice", [replayed(...all, "6b1")]],
    [
      "J6",
      "an event moves",
      [appended("b", ["b2"], { kind: "unknown" }), replayed(...all, "6b2"), replayed(...all, "7b2")],
    ],
    ["J6", "a replay goes back", [replayed(...all, "5b1")]],
    [
      "J7",
      "a replay up to a number shows less than one before",
      [appended("b", ["b2"], { kind: "unknown" }), replayed(...all, "6b2"), replayedIn({ to: 6 }, ...all)],
    ],
    [
      "J7",
      "a replay with a limit shows less than one before",
      [appended("b", ["b2"], { kind: "unknown" }), replayed(...all, "6b2"), replayedIn({ max: 6 }, ...all)],
    ],
    ["J7", "two replays differ", [replayed(...all, "6x1"), replayed(...all, "6y1")]],
    [
      "J7",
      "an event is seen and gone again",
      [appended("b", ["b2"], { kind: "unknown" }), replayed(...all, "6b2"), replayed(...all)],
    ],
    ["J8", "a recovery misses an acknowledged event", [recovered("c", 4)]],
    [
      "J8",
      "the highest number misses an event that was seen",
      [appended("b", ["b2"], { kind: "unknown" }), replayed(...all, "6b2"), highest(5)],
    ],
    ["J9", "the highest number falls after all is deleted", [highest(7), deleted(7), highest(6)]],
    [
      "J10",
      "an append without a writer goes after another number than it expects",
      [acked("a", 1, "a1", "a2"), expecting(1, 3)],
    ],
    ["J10", "an append that expects no events goes after some", [acked("a", 1, "a1"), expecting("none", 2)]],
  ];

  test.each(bugs)("%s: %s", (rule, _bug, operations) => {
    expect(rulesOf(...base, ...operations)).toContain(rule);
  });

  test("J4: a superseded writer's late event is seen, where fencing is strict", () => {
    const late = appended("b", ["b2"], { kind: "unknown" });
    const operations = inTurn(...base, late, recovered("c", 5), replayed(...all, "6b2"));
    expect(checkHistory(operations)).toEqual([]);
    expect(checkHistory(operations, { strict: true })).toMatchObject([{ rule: "J4" }]);
  });

  test("all of J1 to J10 are shown to bite", () => {
    expect([...new Set(bugs.map(([rule]) => rule))]).toEqual([
      "J1",
      "J2",
      "J3",
      "J4",
      "J5",
      "J6",
      "J7",
      "J8",
      "J9",
      "J10",
    ]);
  });
});
