import { expect, test } from "vitest";
import { spacedReads } from "../../console/overview/spaced-reads.ts";

const { signal } = new AbortController();

/** Reads 1, 2, 3, …, each in `ms`, on a clock that only reading and `wait` advance. */
function reader(ms: number) {
  let [now, count] = [0, 0];
  const read = spacedReads(
    async () => {
      now += ms;
      count++;
      return count;
    },
    () => now,
  );
  return {
    read: () => read(signal),
    wait: (time: number) => {
      now += time;
    },
  };
}

test("a value that is read in a few milliseconds is read every three seconds", async () => {
  const { read, wait } = reader(5);
  for (const expected of [1, 2, 3]) {
    expect(await read()).toBe(expected);
    wait(3000);
  }
});

test("a value that is read slowly is read in one fiftieth of the time", async () => {
  const { read, wait } = reader(130);
  const found: number[] = [];
  for (let round = 0; round < 7; round++) {
    found.push(await read());
    wait(3000);
  }
  expect(found).toEqual([1, 1, 1, 2, 2, 2, 3]);
});

test("a value is read again after half a minute, however slowly", async () => {
  const { read, wait } = reader(10_000);
  expect(await read()).toBe(1);
  wait(29_999);
  expect(await read()).toBe(1);
  wait(1);
  expect(await read()).toBe(2);
});

test("a read that fails is repeated the next time", async () => {
  let calls = 0;
  const read = spacedReads(
    async () => {
      calls++;
      if (calls === 1) throw new Error("failed");
      return calls;
    },
    () => 0,
  );
  await expect(read(signal)).rejects.toThrow("failed");
  expect(await read(signal)).toBe(2);
});
