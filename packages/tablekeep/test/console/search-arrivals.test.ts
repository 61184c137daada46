import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { searchArrivals } from "../../console/mail/search-arrivals.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("many arrivals cause one search, and those during a search one more", async () => {
  let searches = 0;
  let finish = () => {};
  const arrivals = searchArrivals(() => {
    searches++;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  for (let n = 0; n < 100; n++) arrivals.arrived();
  expect(searches).toBe(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(searches).toBe(1);
  for (let n = 0; n < 100; n++) arrivals.arrived();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(searches).toBe(1);
  finish();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(searches).toBe(2);
  finish();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(searches).toBe(2);
});

test("a slow search takes a small part of the time, however much mail arrives", async () => {
  const searchMs = 2_000;
  let searching = 0;
  const arrivals = searchArrivals(async () => {
    searching += searchMs;
    await new Promise((resolve) => setTimeout(resolve, searchMs));
  });
  for (let n = 0; n < 1_000; n++) {
    arrivals.arrived();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(searching).toBeGreaterThan(4 * searchMs);
  expect(searching).toBeLessThan(100_000 / 4);
  arrivals.close();
});

test("a failed search is repeated with the next arrival, and none follows the end", async () => {
  let searches = 0;
  const arrivals = searchArrivals(async () => {
    searches++;
    throw new Error("out of reach");
  });
  arrivals.arrived();
  await vi.advanceTimersByTimeAsync(60_000);
  arrivals.arrived();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(searches).toBe(2);
  arrivals.arrived();
  arrivals.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(searches).toBe(2);
});
