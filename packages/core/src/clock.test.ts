import { expect, test, vi } from "vitest";
import { sleep, systemClock } from "./clock.ts";

/** Timers that keep the process alive. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

test.each([2 ** 31, Number.POSITIVE_INFINITY])("a timer of %s ms does not fire at once", async (ms) => {
  let fired = false;
  const cancel = systemClock.after(ms, () => {
    fired = true;
  });
  await sleep(systemClock, 20);
  cancel();
  expect(fired).toBe(false);
});

test("sleep keeps the process alive", async () => {
  const before = timers();
  const sleeping = sleep(systemClock, 20);
  expect(timers()).toBe(before + 1);
  await sleeping;
});

test("an abort rejects sleep at once and releases the process", async () => {
  const before = timers();
  const controller = new AbortController();
  const sleeping = sleep(systemClock, 60_000, controller.signal);
  controller.abort(new Error("enough"));
  expect(timers()).toBe(before);
  await expect(sleeping).rejects.toThrow("enough");
});

test("a background timer lets the process exit, and fires while the process runs", async () => {
  const before = timers();
  const fired = new Promise<void>((resolve) => {
    systemClock.after(10, resolve, { background: true });
  });
  const sleeping = sleep(systemClock, 10, undefined, { background: true });
  expect(timers()).toBe(before);
  const awake = new AbortController();
  const kept = sleep(systemClock, 60_000, awake.signal);
  await Promise.all([fired, sleeping]);
  awake.abort(new Error("enough"));
  await expect(kept).rejects.toThrow("enough");
});

test("a timer of more than 24.8 days fires on time", () => {
  vi.useFakeTimers();
  try {
    let fired = 0;
    const longMs = 2 ** 32;
    systemClock.after(longMs, () => fired++);
    systemClock.after(longMs, () => fired++)();
    vi.advanceTimersByTime(longMs - 1);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
