import { describe, expect, test } from "vitest";
import type { DocumentObject } from "../document/document-value.ts";
import { acknowledge } from "./acknowledge.ts";
import { managedValue, mergeByTime } from "./merge-by-time.ts";
import type { ValueChange } from "./value-change.ts";

const at = (value: DocumentObject[string], second: number) => ({
  value,
  timestamp: `2026-03-01T10:00:0${second}Z`,
});

/** Applies messages, each with its time in seconds. */
function merged(...messages: readonly (readonly [number, DocumentObject | null])[]) {
  const changes: ValueChange[] = [];
  let section: ReturnType<typeof mergeByTime> = {};
  for (const [seconds, patch] of messages)
    section = mergeByTime(section, patch, seconds, { half: "reported", changes });
  return { ...section, last: changes.at(-1)?.kind };
}

describe("a merge by time", () => {
  type Message = readonly [seconds: number, patch: DocumentObject | null];
  type Row = readonly [string, readonly Message[], DocumentObject | undefined, string | undefined];
  const rows: readonly Row[] = [
    [
      "takes the newer of two values with times",
      [
        [9, { t: at(1, 1) }],
        [1, { t: at(2, 2) }],
      ],
      { t: at(2, 2) },
      "updated",
    ],
    [
      "keeps the newer",
      [
        [1, { t: at(1, 2) }],
        [9, { t: at(2, 1) }],
      ],
      { t: at(1, 2) },
      "unchanged",
    ],
    [
      "keeps what is there at the same time",
      [
        [1, { t: at(1, 1) }],
        [9, { t: at(2, 1) }],
      ],
      { t: at(1, 1) },
      "unchanged",
    ],
    [
      "takes plain values of the same time",
      [
        [5, { a: 1 }],
        [5, { a: 2 }],
      ],
      { a: 2 },
      "updated",
    ],
    [
      "keeps plain values against late messages",
      [
        [5, { a: 1 }],
        [4, { a: 2 }],
      ],
      { a: 1 },
      "unchanged",
    ],
    [
      "goes by each value, not by the message",
      [
        [5, { a: 1 }],
        [4, { b: 2 }],
      ],
      { a: 1, b: 2 },
      "added",
    ],
    [
      "does not remove by a late message",
      [
        [5, { a: 1, b: { c: 1 } }],
        [4, { a: null, b: null }],
      ],
      { a: 1, b: { c: 1 } },
      "unchanged",
    ],
    [
      "does not remove all by a late message",
      [
        [5, { a: 1 }],
        [4, null],
      ],
      { a: 1 },
      "unchanged",
    ],
    [
      "removes",
      [
        [5, { a: 1, b: 2 }],
        [6, { a: null }],
      ],
      { b: 2 },
      "removed",
    ],
    [
      "removes all",
      [
        [5, { a: 1 }],
        [6, null],
      ],
      undefined,
      "removed",
    ],
    [
      "merges lists of values with times place by place",
      [
        [1, { l: [at(1, 5), at(1, 5)] }],
        [2, { l: [at(2, 6)] }],
      ],
      { l: [at(2, 6), at(1, 5)] },
      "updated",
    ],
    [
      "replaces other lists whole",
      [
        [1, { l: [1, 2] }],
        [2, { l: [3] }],
      ],
      { l: [3] },
      "updated",
    ],
    [
      "replaces a plain value by one with a time",
      [
        [1, { t: 1 }],
        [2, { t: at(2, 1) }],
      ],
      { t: at(2, 1) },
      "updated",
    ],
    [
      "replaces an object by a value",
      [
        [1, { t: { a: 1 } }],
        [2, { t: 1 }],
      ],
      { t: 1 },
      "updated",
    ],
    [
      "replaces a value with a time by an object",
      [
        [1, { t: at(1, 1) }],
        [2, { t: { a: 1 } }],
      ],
      { t: { a: 1 } },
      "added",
    ],
    [
      "keeps a string against a late object",
      [
        [5, { m: "auto" }],
        [4, { m: { kind: "manual" } }],
      ],
      { m: "auto" },
      "unchanged",
    ],
    [
      "keeps a list against a late object",
      [
        [5, { m: [1] }],
        [4, { m: { kind: "manual" } }],
      ],
      { m: [1] },
      "unchanged",
    ],
    [
      "keeps a value with a time against a late object",
      [
        [5, { t: at(1, 1) }],
        [4, { t: { raw: 5 } }],
      ],
      { t: at(1, 1) },
      "unchanged",
    ],
    [
      "keeps an empty list against a late one",
      [
        [5, { l: [] }],
        [4, { l: ["fire"] }],
      ],
      { l: [] },
      "unchanged",
    ],
    [
      "keeps an empty object against a late value",
      [
        [5, { o: {} }],
        [4, { o: 1 }],
      ],
      { o: {} },
      "unchanged",
    ],
    [
      "keeps an object that became empty against a late value",
      [
        [4, { o: { a: 1 } }],
        [6, { o: { a: null } }],
        [5, { o: 1 }],
      ],
      { o: {} },
      "unchanged",
    ],
    [
      "keeps empty values against a late removal",
      [
        [5, { o: {}, l: [] }],
        [4, { o: null, l: null }],
      ],
      { o: {}, l: [] },
      "unchanged",
    ],
    [
      "keeps a half of empty values against a late removal",
      [
        [5, { l: [] }],
        [4, null],
      ],
      { l: [] },
      "unchanged",
    ],
    [
      "takes the newer time of an empty list that is set again",
      [
        [1, { l: [] }],
        [5, { l: [] }],
        [4, { l: ["fire"] }],
      ],
      { l: [] },
      "unchanged",
    ],
    // Whichever of the two comes first, an empty object asks for nothing to go.
    [
      "merges a late object into an empty one",
      [
        [5, { o: {} }],
        [4, { o: { a: 1 } }],
      ],
      { o: { a: 1 } },
      "added",
    ],
    ["tells of an empty object that is added", [[5, { o: {} }]], { o: {} }, "added"],
    [
      "takes false, 0 and empty text for values",
      [
        [1, { a: true, b: 1, c: "x" }],
        [2, { a: false, b: 0, c: "" }],
      ],
      { a: false, b: 0, c: "" },
      "updated",
    ],
  ];

  test.each(rows)("%s", (_name, messages, state, last) => {
    const result = merged(...messages);
    expect(result.state).toEqual(state);
    expect(result.last).toBe(last);
  });
});

describe("a message that came just now", () => {
  const now = (patch: DocumentObject | null, seconds: number, before: ReturnType<typeof mergeByTime>) =>
    mergeByTime(before, patch, seconds, { half: "reported", changes: [] }, true);
  const { state, metadata } = merged([9, { a: 1, b: { c: 1 }, m: "auto", l: [] }], [5, { old: 1 }]);
  const before = { state, metadata };

  test("is never late, however far the clock is behind", () => {
    const patch = { a: 2, b: { c: null }, m: { kind: "manual" }, l: null };
    expect(now(patch, 7, before).state).toEqual({ a: 2, b: {}, m: { kind: "manual" }, old: 1 });
    expect(now(null, 7, before)).toEqual({});
  });

  test("never lowers the time of a value, and never changes the time of another one", () => {
    const patch = { a: 2, b: { c: 2, d: 2 }, m: { kind: "manual" }, l: [], old: 2, new: 2 };
    expect(now(patch, 7, before).metadata).toEqual({
      a: 9,
      b: { c: 9, d: 7 },
      m: { kind: 9 },
      l: 9,
      old: 7,
      new: 7,
    });
  });
});

test.each([
  [{ value: 1, timestamp: "2026-03-01T10:00:00Z" }, 1772359200000000000n],
  [{ Value: null, Timestamp: "2026-03-01T12:00:00.123456789+02:00" }, 1772359200123456789n],
  [{ VALUE: {}, timeStamp: "0001-01-01T00:00:00Z" }, -62135596800000000000n],
  [{ value: 1, timestamp: 1772359200000.5 }, 1772359200000500000n],
  [{ value: 1, timestamp: "yesterday" }, undefined],
  [{ value: 1, timestamp: 1e306 }, undefined],
  [{ value: 1, timestamp: Number.NaN }, undefined],
  [{ value: 1, timestamp: "2026-13-01T10:00:00Z" }, undefined],
  [{ value: 1, timestamp: null }, undefined],
  [{ value: 1 }, undefined],
  [{ value: 1, timestamp: "2026-03-01T10:00:00Z", unit: "K" }, undefined],
  ["2026-03-01T10:00:00Z", undefined],
])("the time of %j is %s", (value, time) => {
  expect(managedValue(value)?.at).toBe(time);
});

describe("an acknowledgment", () => {
  const left = (desired: DocumentObject, reported: DocumentObject, plain = true) =>
    acknowledge({ state: desired, metadata: {} }, reported, { plain }, { half: "desired", changes: [] })
      .state;

  test.each<[string, DocumentObject, DocumentObject, DocumentObject | undefined]>([
    ["takes what is reported", { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 2 }],
    ["ignores times", { t: at(1, 1) }, { t: at(1, 9) }, undefined],
    ["compares the values of values with times", { t: at(1, 1) }, { t: at(2, 9) }, { t: at(1, 1) }],
    ["does not compare one with a time to one without", { t: at(1, 1) }, { t: 1 }, { t: at(1, 1) }],
    [
      "goes into objects, and drops those that become empty",
      { a: { b: 1 }, c: { d: 1, e: 2 } },
      { a: { b: 1 }, c: { d: 1 } },
      { c: { e: 2 } },
    ],
    ["takes lists whole", { l: [1, 2], m: [1] }, { l: [1, 2, 3], m: [1] }, { l: [1, 2] }],
    [
      "takes a list of values with times once all are reported",
      { l: [at(1, 1), at(2, 1)] },
      { l: [at(1, 2), at(2, 2), at(3, 2)] },
      undefined,
    ],
    [
      "keeps a list of values with times until then",
      { l: [at(1, 1), at(2, 1)] },
      { l: [at(1, 2)] },
      { l: [at(1, 1), at(2, 1)] },
    ],
    ["keeps what is only desired", { x: { y: 1 } }, { z: 1 }, { x: { y: 1 } }],
  ])("%s", (_name, desired, reported, state) => {
    expect(left(desired, reported)).toEqual(state);
  });

  test("leaves plain values where that is wanted, as the original does", () => {
    expect(left({ a: 1, t: at(1, 1) }, { a: 1, t: at(1, 2) }, false)).toEqual({ a: 1 });
  });
});
