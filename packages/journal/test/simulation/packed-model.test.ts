import { describe, expect, test } from "vitest";
import {
  packedFaults,
  packedHarmless,
  type packedPurgeFaults,
} from "../../../../simulation/journal-protocol/packed/faults.mjs";
import { walkPacked } from "../../../../simulation/journal-protocol/packed/walk.mjs";
import { scale, searchTimeoutMs } from "../faults/scale.ts";

/** The first seed that finds each planted fault; `node simulation/journal-protocol.mjs --packed --fault=NAME` tells. */
const foundAt: Record<keyof typeof packedFaults, number> = {
  "unconditional-put": 2,
  "no-reread": 101,
  "no-tombstone": 9,
  "mark-last": 1,
  "sweep-early": 4,
  "drop-commit-record": 717,
  "commit-keeps-epoch": 204,
  "staged-counts": 4,
  "snapshot-is-end": 28,
  "ends-at-item": 1,
  "tombstone-without-last": 3,
  "tombstones-skipped": 121,
  "trust-old-mark": 148,
  "no-covering-item": 1,
  "gaps-read-plainly": 308,
  "gaps-unread": 858,
  "no-last-look": 14,
  "rewrite-any-item": 16,
  "refusal-ends-delete": 5,
  "begins-at-mark": 1,
  "dead-tombstone": 1358,
  "compact-any-item": 214,
  "compact-by-write-id": 214,
  "compact-without-tombstones": 45,
  "compact-staged": 18,
  "compact-within-write": 20000153,
  "tombstone-without-into": 31,
  "tombstone-of-merger": 268,
  "expected-unread": 10,
};

/** The same where entities have snapshots and ids are purged and restored. */
const foundWithPurges: Record<keyof typeof packedPurgeFaults, number> = {
  "empty-tail": 19,
  "no-covering-item": 1,
  "history-read-once": 58,
  "newest-snapshot-goes": 1,
  "writer-first": 4,
  "purge-keeps-snapshots": 1,
  "mark-any-life": 1218,
  "life-read-late": 305,
  "live-writer": 4,
};

/** Faults that show only, or soonest, where the items of a transaction become visible one by one, or where fencing is strict. */
const visibleOneByOne = [
  "tombstones-skipped",
  "gaps-read-plainly",
  "gaps-unread",
  "no-last-look",
  "ends-at-item",
  "compact-within-write",
];
const whereStrict = ["no-last-look"];

interface WalkOptions {
  readonly strict: boolean;
  readonly oneByOne?: boolean;
  readonly purge?: boolean;
  readonly fault?: string;
}

function firstViolation(walks: number, options: WalkOptions): string | undefined {
  for (let seed = 1; seed <= walks * scale; seed++) {
    const violation = walkPacked(seed, options);
    if (violation !== undefined) return `seed ${seed}: ${violation.message}`;
  }
  return undefined;
}

describe("the model of the packed layout", () => {
  test.each([
    { strict: false },
    { strict: true },
    { strict: false, oneByOne: true },
    { strict: true, oneByOne: true },
  ])(
    "finds no violation where items are written, deleted and compacted (%o)",
    (options) => {
      expect(firstViolation(60, options)).toBeUndefined();
    },
    searchTimeoutMs,
  );

  test.each([
    { strict: false },
    { strict: true },
    { strict: false, oneByOne: true },
    { strict: true, oneByOne: true },
  ])(
    "finds no violation where entities have snapshots and are purged and restored (%o)",
    (options) => {
      expect(firstViolation(40, { ...options, purge: true })).toBeUndefined();
    },
    searchTimeoutMs,
  );

  test.each(Object.keys(packedFaults) as (keyof typeof packedFaults)[])(
    "finds the planted fault %s",
    (fault) => {
      const oneByOne = visibleOneByOne.includes(fault);
      const strict = whereStrict.includes(fault);
      expect(walkPacked(foundAt[fault], { strict, fault, oneByOne })?.message).toBeDefined();
    },
  );

  test.each(Object.entries(foundWithPurges))(
    "finds the planted fault %s where entities have snapshots and are purged and restored",
    (fault, seed) => {
      expect(walkPacked(seed, { strict: false, purge: true, fault })?.message).toBeDefined();
    },
  );

  test.each(Object.keys(packedHarmless))(
    "finds nothing wrong with %s, which is harmless",
    (fault) => {
      expect(
        firstViolation(30, { strict: false, oneByOne: true, purge: fault === "purge-once", fault }),
      ).toBeUndefined();
    },
    searchTimeoutMs,
  );
});

test("a read that begins inside an item which becomes visible just now finds it", () => {
  expect(walkPacked(10_003_104, { strict: true, oneByOne: true })).toBeUndefined();
});
