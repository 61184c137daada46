import { describe, expect, test } from "vitest";
import { faults, harmless } from "../../../../simulation/journal-protocol/faults.mjs";
import { walk } from "../../../../simulation/journal-protocol/walk.mjs";

/** The first seed that finds each planted fault; `node simulation/journal-protocol.mjs --fault=NAME` tells. */
const foundAt: Record<keyof typeof faults, number> = {
  "no-reread": 119,
  "no-tombstone": 33,
  "drop-commit-record": 6585,
  "commit-keeps-epoch": 1,
  "hasty-conflict": 9674,
  "forget-rows": 25,
  "sweep-early": 13,
  "mark-last": 1,
  "remove-unproven": 8,
  "unconditional-put": 1,
  "mark-only": 1,
  "trust-early": 1,
  "two-reads": 34,
};

interface WalkOptions {
  readonly strict: boolean;
  readonly readAhead?: boolean;
  readonly oneByOne?: boolean;
  readonly fault?: string;
}

function firstViolation(walks: number, options: WalkOptions): string | undefined {
  for (let seed = 1; seed <= walks; seed++) {
    const violation = walk(seed, options);
    if (violation !== undefined) return `seed ${seed}: ${violation.message}`;
  }
  return undefined;
}

describe("the model of the journal's protocol", () => {
  test.each([false, true])("finds no violation (strict: %s)", (strict) => {
    expect(firstViolation(400, { strict })).toBeUndefined();
  });

  test("finds no violation where the first rows are read along with the marks", () => {
    expect(firstViolation(200, { strict: false, readAhead: true })).toBeUndefined();
  });

  test.each([{ strict: false }, { strict: true }, { strict: false, readAhead: true }])(
    "finds no violation where the items of a transaction become visible one by one (%o)",
    (options) => {
      expect(firstViolation(200, { ...options, oneByOne: true })).toBeUndefined();
    },
  );

  test.each(Object.keys(faults) as (keyof typeof faults)[])("finds the planted fault %s", (fault) => {
    const readAhead = fault === "trust-early";
    const oneByOne = fault === "two-reads";
    expect(walk(foundAt[fault], { strict: false, fault, readAhead, oneByOne })?.message).toBeDefined();
  });

  test.each(Object.keys(harmless))("finds nothing wrong with %s, which is harmless", (fault) => {
    expect(firstViolation(100, { strict: false, fault })).toBeUndefined();
  });

  test("one seed is one walk", () => {
    const fault = "unconditional-put";
    expect(walk(1, { strict: false, fault })).toEqual(walk(1, { strict: false, fault }));
  });
});
