import type { LayoutName } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { runFaultyFeed } from "./faulty-feed.ts";

const seeds = Number(process.env["FEED_SEEDS"] ?? 2);

const behaviors = [
  ["the plain engine", {}],
  ["records of different items swapped", { lagMs: [0, 4000] }],
  ["several shards that split", { shards: 3, shardRecords: [5, 20] }],
  ["empty pages before records", { shards: 2, emptyPages: [0, 4] }],
  ["iterators that expire", { shards: 2, iteratorMs: 400 }],
  [
    "everything at once",
    { shards: 3, shardRecords: [3, 15], lagMs: [0, 5000], emptyPages: [0, 3], iteratorMs: 700 },
  ],
] as const;

describe.each(behaviors)("sequencers with random faults, and a stream with %s", (_name, streams) => {
  test.each(Array.from({ length: seeds }, (_unused, seed) => seed + 1))(
    "feed every event once, in order (seed %i)",
    async (seed) => {
      const layout: LayoutName = seed % 2 === 0 ? "bucketed" : "packed";
      const { crashes, faults } = await runFaultyFeed(seed, { table: "events", layout }, streams);
      expect(crashes).toBeGreaterThan(1);
      expect(faults).toBeGreaterThan(0);
    },
  );
});
