import { describe, expect, test } from "vitest";
import { planted, plantedJournals } from "../../../../simulation/journal/planted.mjs";
import { runSeed } from "../../../../simulation/journal/run-seed.mjs";

/** Within how many seeds a planted mistake must be found. */
const patience = 150;

/** Seeds that found a mistake before the first one did, and are tried first. The others follow: after a change they may tell another story. */
const likelySeeds: Readonly<Record<string, number>> = {
  "lost-answers-count-as-done": 4,
  "unread-keys-forgotten": 18,
  "only-first-pages": 3,
  "search-ends-at-snapshot": 9,
  "compaction-unconditional": 46,
  "rewrite-unconditional": 65,
};

const seeds = Array.from({ length: 24 }, (_unused, at) => at + 1);

describe("the journal under random faults", () => {
  const ran = new Map<number, Awaited<ReturnType<typeof runSeed>>>();

  test.each(seeds)("keeps its promises with seed %d", async (seed) => {
    const run = await runSeed(seed);
    ran.set(seed, run);
    const { violations, schedule, journal } = run;
    expect(violations, `seed ${seed} (${journal}), ${schedule}`).toEqual([]);
  });

  test.each([...Object.keys(planted), ...Object.keys(plantedJournals)])(
    "is seen to break them with %s",
    async (plant) => {
      // Only strict fencing has a fence to take away.
      const strict = plant === "no-fence" || undefined;
      let found: readonly string[] = [];
      const first = likelySeeds[plant] ?? 1;
      for (let tried = 0; tried < patience && found.length === 0; tried++) {
        const seed = ((first + tried - 1) % patience) + 1;
        found = (await runSeed(seed, { plant, strict })).violations;
      }
      expect(found).not.toEqual([]);
    },
  );

  // From 12 on, requests of a tool or of the snapshots are repeated after a pause.
  test.each([1, 2, 3, 12, 13, 18, 27])("gives the same history twice with seed %d", async (seed) => {
    const [once, again] = [await runSeed(seed), await runSeed(seed)];
    expect(again.hash).toBe(once.hash);
    expect(again.requests).toBe(once.requests);
  });
});
