import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { inBatches } from "./in-batches.ts";

async function* count(to: number, onYield: (value: number) => void = () => {}) {
  for (let value = 1; value <= to; value++) {
    onYield(value);
    yield value;
  }
}

test("returns all values in order, several at a time, and reads ahead no further than the limit", async () => {
  const seen: number[][] = [];
  let read = 0;
  for await (const batch of inBatches(
    count(100, (value) => (read = value)),
    10,
  )) {
    seen.push([...batch]);
    await setImmediate();
    expect(read - seen.flat().length).toBeLessThanOrEqual(10);
  }
  expect(seen.flat()).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  expect(seen.length).toBeLessThan(20);
});

test("throws the failure of the source after the values before it", async () => {
  const failing = async function* () {
    yield* count(3);
    throw new Error("broken");
  };
  const seen: number[] = [];
  const all = (async () => {
    for await (const batch of inBatches(failing(), 10)) seen.push(...batch);
  })();
  await expect(all).rejects.toThrow("broken");
  expect(seen).toEqual([1, 2, 3]);
});

test("a consumer that stops ends a source that is read ahead", async () => {
  let ended = false;
  const source = async function* () {
    try {
      yield* count(1_000);
    } finally {
      ended = true;
    }
  };
  for await (const _ of inBatches(source(), 5)) break;
  await expect.poll(() => ended).toBe(true);
});
