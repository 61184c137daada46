import { describe, expect, test } from "vitest";
import {
  faults,
  harmless,
  type holeFaults,
  type originalFaults,
  type purgeFaults,
  sharedFaults,
} from "../../../../simulation/journal-protocol/faults.mjs";
import { walk } from "../../../../simulation/journal-protocol/walk.mjs";
import { scale, searchTimeoutMs } from "../faults/scale.ts";

/** The first seed that finds each planted fault; `node simulation/journal-protocol.mjs --fault=NAME` tells. */
const foundAt: Record<keyof typeof faults, number> = {
  "no-reread": 65,
  "no-tombstone": 23,
  "drop-commit-record": 890,
  "commit-keeps-epoch": 73,
  "hasty-conflict": 3533,
  "forget-rows": 18,
  "sweep-early": 47,
  "mark-last": 1,
  "unconditional-put": 1,
  "mark-only": 1,
  "two-reads": 277,
  "first-row-only": 5,
  "gaps-unread": 48,
  "no-last-look": 26,
  "trust-lone-mark": 7681,
  "trust-early": 1,
};

/** The same where the original has left rows. */
const foundWithOriginal: Record<keyof typeof originalFaults, number> = {
  "trust-declared-end": 93,
  "half-batch-counts": 10,
  "trust-half-batch": 5,
};

/** The same of mistakes about holes. */
const foundWithHoles: Record<keyof typeof holeFaults, number> = {
  "skip-any-hole": 1,
  "hole-by-number": 3,
  "any-mark-explains": 3,
};

/** The same where the original shares the table. */
const foundWhereShared: Record<keyof typeof sharedFaults, number> = {
  "no-guard": 14,
  "last-row-first": 1,
  "last-row-alone": 2,
  "low-mark-early": 1,
  "trust-old-marks": 109,
};

/** The same where ids are purged and restored. */
const foundWithPurges: Record<keyof typeof purgeFaults, number> = {
  "snapshot-ahead": 2,
  "bounds-first": 3,
  "late-snapshot": 6,
  "journal-first": 80,
  "purge-keeps-records": 1,
  "purge-keeps-writer": 1,
  "low-mark-first": 1,
  "writer-first": 10,
  "tombstone-any-row": 5,
  "record-of-any-life": 366,
  "rows-of-any-life": 23,
  "mark-any-life": 26,
  "live-writer": 2,
};

/** Faults that show only, or soonest, where the items of a transaction become visible one by one, or where fencing is strict. */
const visibleOneByOne = ["two-reads", "first-row-only", "gaps-unread", "no-last-look", "trust-lone-mark"];
const whereStrict = ["no-last-look", "trust-lone-mark"];

interface WalkOptions {
  readonly strict: boolean;
  readonly shared?: boolean;
  readonly readAhead?: boolean;
  readonly oneByOne?: boolean;
  readonly original?: boolean;
  readonly purge?: boolean;
  readonly fault?: string;
}

/** Runs so many walks. The seeds above show that twice as many would find no other planted fault. */
function firstViolation(walks: number, options: WalkOptions): string | undefined {
  for (let seed = 1; seed <= walks * scale; seed++) {
    const violation = walk(seed, options);
    if (violation !== undefined) return `seed ${seed}: ${violation.message}`;
  }
  return undefined;
}

describe("the model of the journal's protocol", () => {
  test.each([false, true])("finds no violation (strict: %s)", (strict) => {
    expect(firstViolation(100, { strict })).toBeUndefined();
  });

  test.each([
    { strict: false },
    { strict: true },
    { strict: false, oneByOne: true },
    { strict: true, oneByOne: true },
  ])("finds no violation where the original shares the table (%o)", (options) => {
    expect(firstViolation(150, { ...options, shared: true })).toBeUndefined();
  });

  test.each(Object.keys(sharedFaults) as (keyof typeof sharedFaults)[])(
    "finds the planted fault %s where the original shares the table",
    (fault) => {
      expect(walk(foundWhereShared[fault], { strict: false, shared: true, fault })?.message).toBeDefined();
    },
  );

  test("finds no violation where the first rows are read along with the marks", () => {
    expect(firstViolation(100, { strict: false, readAhead: true })).toBeUndefined();
  });

  test.each([{ strict: false }, { strict: true }, { strict: false, readAhead: true }])(
    "finds no violation where the items of a transaction become visible one by one (%o)",
    (options) => {
      expect(firstViolation(100, { ...options, oneByOne: true })).toBeUndefined();
    },
  );

  test.each([{ strict: false }, { strict: true }, { strict: false, readAhead: true, oneByOne: true }])(
    "finds no violation where the original has left rows, half batches too (%o)",
    (options) => {
      expect(firstViolation(100, { ...options, original: true })).toBeUndefined();
    },
    searchTimeoutMs,
  );

  test.each(Object.entries({ ...foundWithOriginal, ...foundWithHoles }))(
    "finds the planted fault %s where the original has left rows",
    (fault, seed) => {
      expect(walk(seed, { strict: false, original: true, fault })?.message).toBeDefined();
    },
  );

  test.each([
    { strict: false },
    { strict: true },
    { strict: true, oneByOne: true },
    { strict: false, original: true },
    { strict: false, shared: true },
    { strict: true, shared: true, oneByOne: true },
    { strict: false, shared: true, original: true },
  ])(
    "finds no violation where entities have snapshots and are purged and restored (%o)",
    (options) => {
      expect(firstViolation(100, { ...options, purge: true })).toBeUndefined();
    },
    searchTimeoutMs,
  );

  test.each(Object.entries(foundWithPurges))(
    "finds the planted fault %s where ids are purged and restored",
    (fault, seed) => {
      expect(walk(seed, { strict: false, purge: true, fault })?.message).toBeDefined();
    },
  );

  test.each(Object.keys(faults) as (keyof typeof faults)[])("finds the planted fault %s", (fault) => {
    const readAhead = fault === "trust-early";
    const oneByOne = visibleOneByOne.includes(fault);
    const strict = whereStrict.includes(fault);
    expect(walk(foundAt[fault], { strict, fault, readAhead, oneByOne })?.message).toBeDefined();
  });

  test.each(Object.keys(harmless))("finds nothing wrong with %s, which is harmless", (fault) => {
    expect(firstViolation(100, { strict: false, fault })).toBeUndefined();
  });

  test("one seed is one walk", () => {
    const fault = "unconditional-put";
    expect(walk(1, { strict: false, fault })).toEqual(walk(1, { strict: false, fault }));
  });
});
