import { expect, test } from "vitest";
import { mergeSorted } from "./merge-sorted.ts";

async function* pages(ended: () => void, ...all: number[][]) {
  try {
    yield* all;
  } finally {
    ended();
  }
}

test("sorted sources become one, whatever their pages are", async () => {
  let ended = 0;
  const end = () => ended++;
  const sources = [pages(end, [1, 4], [], [9]), pages(end), pages(end, [], [2, 3, 5])];
  const merged: number[] = [];
  for await (const value of mergeSorted(sources, (one, other) => one < other)) merged.push(value);
  expect(merged).toEqual([1, 2, 3, 4, 5, 9]);
  expect(ended).toBe(3);
});

test("sources are ended when the consumer stops", async () => {
  let ended = 0;
  const end = () => ended++;
  for await (const value of mergeSorted(
    [pages(end, [1], [3]), pages(end, [2], [4])],
    (one, other) => one < other,
  ))
    if (value === 2) break;
  expect(ended).toBe(2);
});
