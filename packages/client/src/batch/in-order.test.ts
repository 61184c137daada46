import { describe, expect, test } from "vitest";
import { inOrder } from "./in-order.ts";

async function* numbers(count: number, failAt = Number.POSITIVE_INFINITY) {
  for (let n = 0; n < count; n++) {
    if (n === failAt) throw new Error("the source broke");
    yield n;
  }
}
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("inOrder", () => {
  test("returns results in the order of the inputs, however long each takes", async () => {
    const results: number[] = [];
    const slowFirst = async (n: number) => {
      await later(10 - n);
      return n * n;
    };
    for await (const each of inOrder(numbers(10), 4, slowFirst)) results.push(each);
    expect(results).toEqual([0, 1, 4, 9, 16, 25, 36, 49, 64, 81]);
  });

  test("runs exactly as many at a time as allowed", async () => {
    let running = 0;
    let most = 0;
    const run = async () => {
      most = Math.max(most, ++running);
      await later(1);
      running--;
    };
    for await (const _ of inOrder(numbers(20), 3, run)) expect(running).toBeLessThanOrEqual(3);
    expect(most).toBe(3);
  });

  test("when the source fails, what was started is given first", async () => {
    const results: number[] = [];
    const reading = async () => {
      for await (const each of inOrder(numbers(10, 3), 4, async (n) => n)) results.push(each);
    };
    await expect(reading()).rejects.toThrow("the source broke");
    expect(results).toEqual([0, 1, 2]);
  });

  test("when a run fails, the others are stopped and awaited", async () => {
    let stopped = false;
    let ended = 0;
    const run = async (n: number) => {
      if (n === 1) throw new Error("one failed");
      while (n > 1 && !stopped) await later(1);
      ended++;
      return n;
    };
    const reading = async () => {
      for await (const _ of inOrder(numbers(10), 4, run, () => {
        stopped = true;
      }));
    };
    await expect(reading()).rejects.toThrow("one failed");
    expect(ended).toBe(4);
  });

  test("a consumer that stops leaves nothing running and the source closed", async () => {
    let closed = false;
    let running = 0;
    const source = (async function* () {
      try {
        yield* numbers(100);
      } finally {
        closed = true;
      }
    })();
    const run = async () => {
      running++;
      await later(2);
      running--;
    };
    for await (const _ of inOrder(source, 5, run)) break;
    expect([running, closed]).toEqual([0, true]);
  });
});
