import { expect, test } from "vitest";
import { shareOf } from "./waves.ts";

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
