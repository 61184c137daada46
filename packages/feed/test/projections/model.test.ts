import { describe, expect, test } from "vitest";
import { faults, harmless } from "../../../../simulation/projection/faults.mjs";
import { walk } from "../../../../simulation/projection/walk.mjs";

/** How much more than in CI the searches do. */
const scale = Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));

/** The first seed that finds each planted fault; `node simulation/projection.mjs --fault=NAME` prints it. */
const foundAt: Record<keyof typeof faults, number> = {
  "position-unfenced": 1,
  "lease-by-time": 1,
  "fence-without-offset": 1,
  "fence-without-epoch": 1094,
  "lost-is-done-unfenced": 1,
  "position-first": 1,
  "position-last": 1,
  "park-after-position": 1,
  "park-one-event": 1,
  "parked-read-before-claim": 41,
  "replay-unfenced": 5,
  "replay-out-of-order": 1,
  "rewind-keeps-parked": 1,
  "leftovers-unfenced": 21,
  "skip-unfenced": 41,
  "skip-any": 1,
  "skip-twice": 382,
  "pause-by-flag": 1,
  "pause-unread": 1,
  "pause-unordered": 613,
  "switch-unchecked": 1,
  "stop-keeps-epoch": 11,
  "stop-unfenced": 1,
};

function firstViolation(walks: number, fault?: string): string | undefined {
  for (let seed = 1; seed <= walks * scale; seed++) {
    const { message } = walk(seed, { fault });
    if (message !== undefined) return `seed ${seed}: ${message}`;
  }
  return undefined;
}

describe("the model of projections", () => {
  test("finds no violation where runners compete and crash and are controlled", () => {
    expect(firstViolation(150)).toBeUndefined();
  });

  test.each(Object.keys(faults) as (keyof typeof faults)[])("finds the planted fault %s", (fault) => {
    expect(walk(foundAt[fault], { fault }).message).toBeDefined();
  });

  test.each(Object.keys(harmless))("finds nothing wrong with %s, which is harmless", (fault) => {
    expect(firstViolation(50, fault)).toBeUndefined();
  });
});
