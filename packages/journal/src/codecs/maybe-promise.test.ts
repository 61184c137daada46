import { expect, test } from "vitest";
import { mapInOrder, maxConcurrentPayloads } from "./maybe-promise.ts";

test("nothing is waited for where nothing is a promise", () => {
  expect(mapInOrder([1, 2, 3], (value, index) => value * 10 + index)).toEqual([10, 21, 32]);
});

test("results are in the order of the items, with a bounded number in flight", async () => {
  const ends: (() => void)[] = [];
  let inFlight = 0;
  let most = 0;
  const items = Array.from({ length: 50 }, (_unused, at) => at);
  const mapping = mapInOrder(items, (item) => {
    // Some are there at once.
    if (item % 5 === 0) return item;
    most = Math.max(most, ++inFlight);
    return new Promise<number>((resolve) => {
      ends.push(() => {
        inFlight--;
        resolve(item);
      });
    });
  });
  expect(mapping).toBeInstanceOf(Promise);
  let isDone = false;
  const done = Promise.resolve(mapping).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    // The last that was started ends first.
    ends.pop()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await done).toEqual(items);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(maxConcurrentPayloads);
});

test("the first failure in order is reported, and no more is started", async () => {
  const started: number[] = [];
  const items = Array.from({ length: 100 }, (_unused, at) => at);
  const mapping = mapInOrder(items, async (item) => {
    started.push(item);
    if (item === 3 || item === 2) throw new Error(`item ${item}`);
    return item;
  });
  await expect(mapping).rejects.toThrow("item 2");
  expect(started.length).toBeLessThan(40);
});
