import { expect, test } from "vitest";
import { inWaves, shareOf, waveSizes } from "./waves.ts";

test("a share is rounded up, and not for an error of binary fractions", () => {
  // 2.2 % of 1,500 are 33, and 33.00000000000001 in binary.
  const wrong: string[] = [];
  for (let total = 1; total <= 10_000; total += 37)
    for (let thousandths = 1; thousandths <= 100_000; thousandths += 97) {
      const exact = Number((BigInt(total) * BigInt(thousandths) + 99_999n) / 100_000n);
      if (shareOf(total, thousandths / 1_000 / 100) !== exact)
        wrong.push(`${thousandths / 1_000} % of ${total}`);
    }
  expect(wrong).toEqual([]);
  expect([shareOf(1_500, 0.022), shareOf(30, 0.1), shareOf(3, 0.5), shareOf(7, 0), shareOf(0, 1)]).toEqual([
    33, 3, 2, 0, 0,
  ]);
});

test.each([
  { waves: [1, "10%"], total: 25, sizes: [1, 3, 21] },
  { waves: [], total: 4, sizes: [4] },
  // No wave is empty: neither one after the last thing nor a share of nothing.
  { waves: [2, 2, 5], total: 4, sizes: [2, 2] },
  { waves: [10], total: 4, sizes: [4] },
  { waves: ["0%", 1], total: 2, sizes: [1, 1] },
  { waves: [1], total: 0, sizes: [] },
])("$total things in waves of $waves", ({ waves, total, sizes }) => {
  expect(waveSizes(waves, total)).toEqual(sizes);
});

test("each thing is in one wave, in order", () => {
  expect(inWaves(["a", "b", "c", "d"], [1, 2, 1])).toEqual([
    { thing: "a", wave: 0 },
    { thing: "b", wave: 1 },
    { thing: "c", wave: 1 },
    { thing: "d", wave: 2 },
  ]);
});
