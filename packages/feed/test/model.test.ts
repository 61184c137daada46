import { describe, expect, test } from "vitest";
import { faults, harmless } from "../../../simulation/feed/faults.mjs";
import { walk } from "../../../simulation/feed/walk.mjs";
import {
  faults as removalFaults,
  harmless as removalHarmless,
} from "../../../simulation/feed-removal/faults.mjs";
import { walk as removalWalk } from "../../../simulation/feed-removal/walk.mjs";
import { faults as restoreFaults } from "../../../simulation/feed-restore/faults.mjs";
import { walk as restoreWalk } from "../../../simulation/feed-restore/walk.mjs";

/** How much more than in CI the searches do. */
const scale = Math.max(1, Number(process.env["TABLEKEEP_TEST_SCALE"] ?? 1));
const searchTimeoutMs = 600_000 * scale;

/** The first seed that finds each planted fault; `node simulation/feed.mjs --fault=NAME` prints it. */
const foundAt: Record<keyof typeof faults, number> = {
  "small-window": 8,
  "drop-late": 1,
  "skip-by-newest-page": 1,
  "wall-clock": 1,
  "reading-position-checkpoint": 1,
  "hi-of-page-only": 562,
  "unconditional-page": 1,
  "held-unread": 287,
  "exact-fed": 1,
  "lost-page-put-again": 2,
  "lost-page-is-done": 2,
  "absorb-ignored": 1,
  "staged-rows": 1,
  "modify-is-event": 1,
  "modify-never-event": 1,
  "every-item-is-write": 1,
  "identity-without-write": 10,
  "closed-shard-forgotten": 23,
  "sweep-forgotten": 1,
  "stream-after-sweep": 28,
  "number-before-commit": 1,
  "unfenced-offset": 1,
  "stale-offset": 5,
};

function firstViolation(walks: number, fault?: string): string | undefined {
  for (let seed = 1; seed <= walks * scale; seed++) {
    const { message } = walk(seed, { fault });
    if (message !== undefined) return `seed ${seed}: ${message}`;
  }
  return undefined;
}

describe("the model of the feed", () => {
  test(
    "finds no violation where sequencers and projections compete and crash",
    () => {
      expect(firstViolation(40)).toBeUndefined();
    },
    searchTimeoutMs,
  );

  test.each(Object.keys(faults) as (keyof typeof faults)[])("finds the planted fault %s", (fault) => {
    expect(walk(foundAt[fault], { fault }).message).toBeDefined();
  });

  test.each(Object.keys(harmless))(
    "finds nothing wrong with %s, which is harmless",
    (fault) => {
      expect(firstViolation(20, fault)).toBeUndefined();
    },
    searchTimeoutMs,
  );
});

/** The first seed that finds each planted fault; `node simulation/feed-removal.mjs --fault=NAME` prints it. */
const removalFoundAt: Record<keyof typeof removalFaults, number> = {
  "no-end": 1,
  "end-removed": 1,
  "end-ignored": 2,
  "count-by-search": 1,
  "count-not-stored": 1041,
  "count-replaced": 93,
  "forget-first": 1,
  "remove-current": 1,
  "reader-unchecked": 1,
};

describe("the model of removals", () => {
  test(
    "finds no violation where sequencers, removals and readers compete and crash",
    () => {
      for (let seed = 1; seed <= 25 * scale; seed++)
        for (const fault of [undefined, ...Object.keys(removalHarmless)])
          expect(removalWalk(seed, { fault }).message).toBeUndefined();
    },
    searchTimeoutMs,
  );

  test.each(Object.keys(removalFaults) as (keyof typeof removalFaults)[])(
    "finds the planted fault %s",
    (fault) => {
      expect(removalWalk(removalFoundAt[fault], { fault }).message).toBeDefined();
    },
  );
});

/** The first seed that finds each planted fault; `node simulation/feed-restore.mjs --fault=NAME` prints it. */
const restoreFoundAt: Record<keyof typeof restoreFaults, number> = {
  "identity-ignored": 2,
  "there-is-enough": 2,
  "identity-of-place": 2,
  "identity-of-sequencer": 3,
  "boundary-unnamed": 1,
  "middle-unnamed": 6,
  "one-slice": 4,
  "next-page-named": 3,
  "next-unchecked": 1,
  "middle-unchecked": 32,
  "idle-unchecked": 1,
};

describe("the model of restored feeds", () => {
  test(
    "finds no violation where a table is restored and filled again, and notices each restore that matters",
    () => {
      let seen = 0;
      for (let seed = 1; seed <= 100 * scale; seed++) {
        const { message, noticed = 0 } = restoreWalk(seed);
        expect(message).toBeUndefined();
        seen += noticed;
      }
      expect(seen).toBeGreaterThan(0);
    },
    searchTimeoutMs,
  );

  test.each(Object.keys(restoreFaults) as (keyof typeof restoreFaults)[])(
    "finds the planted fault %s",
    (fault) => {
      expect(restoreWalk(restoreFoundAt[fault], { fault }).message).toBeDefined();
    },
  );
});
