import { openEngine } from "@tablekeep/engine";
import type { LayoutName } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import type { VerifyProgress } from "../src/index.ts";
import { rangesOf, slicesInRange, virtualSliceOf } from "../src/pages/slices.ts";
import { appendSome, expectWhole, feedOf, newWorld } from "./feed-world.ts";

describe("ranges of slices", () => {
  test("cover every virtual slice once, and have no more events than the limit where slices are large", () => {
    for (const events of [[0], [10, 10, 10, 10], [1000, 0, 3, 5000], Array(16).fill(7), [1e9, 1e9]]) {
      const ranges = rangesOf(events, 100);
      expect(ranges[0]?.from).toBe(0);
      for (const [at, { from, to }] of ranges.entries()) {
        expect(to).toBeGreaterThanOrEqual(from);
        expect(ranges[at + 1]?.from ?? 1024).toBe(to + 1);
      }
      expect(ranges.at(-1)?.to).toBe(1023);
    }
    expect(rangesOf([10, 10, 10, 10], 100)).toEqual([{ from: 0, to: 1023 }]);
    expect(rangesOf([60, 60, 60, 60], 100)).toHaveLength(4);
    expect(rangesOf([400, 0], 100)).toHaveLength(4);
    expect(slicesInRange({ from: 200, to: 300 }, 4)).toEqual([0, 1]);
    expect(virtualSliceOf("thing|1")).toBeLessThan(1024);
  });
});

const layouts: readonly LayoutName[] = ["packed", "bucketed"];

test.each(layouts)(
  "a sweep and verify find the same, however little they compare at once (%s)",
  async (layout) => {
    await using port = await openEngine({ storage: { kind: "memory" } });
    const world = await newWorld(port, { table: "events", layout });
    for (let round = 0; round < 4; round++) await appendSome(world, 20, round);
    const options = { eventsAtOnce: 3 };
    const feed = await feedOf(world, port, options);
    const counts: number[] = [];
    await feed.catchUp({ onProgress: ({ events }) => counts.push(events) });
    const total = [...world.appended.values()].reduce((sum, count) => sum + count, 0);
    expect(counts.at(-1)).toBe(total);
    expect(counts).toEqual(counts.toSorted((one, two) => one - two));
    await appendSome(world, 20, 5);
    await feed.requestSweep();
    // Two sweep at the same time.
    await Promise.all([feed.catchUp(), (await feedOf(world, port, options)).catchUp()]);
    await appendSome(world, 20, 6);
    await expectWhole(world, options);
    const seen: VerifyProgress[] = [];
    const { ids, writes } = await feed.verify({ onProgress: (progress) => seen.push(progress) });
    expect({ ids, writes }).toEqual({ ids: 20, writes: 120 });
    const all = [...world.appended.values()].reduce((sum, count) => sum + count, 0);
    expect(seen.map((progress) => progress.ids)).toEqual(Array.from({ length: 20 }, (_unused, at) => at + 1));
    expect(seen.at(-1)).toEqual({ ids: 20, events: all, ofEvents: all });
  },
);

test("verify finds a write that is missing, one that is there twice, and a gap", async () => {
  await using port = await openEngine({ storage: { kind: "memory" } });
  const world = await newWorld(port, { table: "events", layout: "packed" });
  for (let round = 0; round < 3; round++) {
    await appendSome(world, 6, round);
    await (await feedOf(world)).catchUp();
  }
  const { Items = [] } = await port.scan({ TableName: "events" });
  const pages = Items.filter((item) => item["refs"] !== undefined);
  const second = pages.find((item) => Number(item["first"]?.N) > 0);
  const first = pages.find((item) => item["par"]?.S === second?.["par"]?.S && item["first"]?.N === "0");
  // The second page of a slice, with the writes of the first.
  const Item = {
    ...second,
    refs: first?.["refs"] ?? { B: new Uint8Array() },
    count: first?.["count"] ?? { N: "0" },
  };
  await port.putItem({ TableName: "events", Item });
  const { findings } = await (await feedOf(world, port, { eventsAtOnce: 5 })).verify();
  expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(["missing", "twice", "gap"]));
});
