import { describe, expect, test } from "vitest";
import { planted } from "../../../../simulation/shadow/planted.mjs";
import { runSeed } from "../../../../simulation/shadow/run-seed.mjs";

/** Within how many seeds a planted mistake must be found. */
const patience = 20;
const size = { operations: 200, clients: 8 };

describe("shadows under random faults", () => {
  test.each(Array.from({ length: 12 }, (_unused, at) => at + 1))(
    "keep their promises with seed %d",
    async (seed) => {
      const { violations, schedule, store } = await runSeed(seed, size);
      expect(violations, `seed ${seed} (${store}), ${schedule}`).toEqual([]);
    },
  );

  test.each(Object.keys(planted))("are seen to break them with %s", async (plant) => {
    let found: readonly string[] = [];
    for (let seed = 1; seed <= patience && found.length === 0; seed++) {
      found = (await runSeed(seed, { ...size, plant })).violations;
    }
    expect(found).not.toEqual([]);
  });

  test("one seed is one story", async () => {
    const [once, again] = [await runSeed(3, size), await runSeed(3, size)];
    expect(again.hash).toBe(once.hash);
  });
});
