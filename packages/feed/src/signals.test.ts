import { getEventListeners } from "node:events";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { sleepUntilWoken } from "./signals.ts";

/** A wait of a second: its end, and the function that wakes it, which is undefined when nothing listens. */
function waiting(signal: AbortSignal) {
  const clock = fakeClock();
  const woken: { wake: (() => void) | undefined } = { wake: undefined };
  const ended = sleepUntilWoken(clock, 1000, signal, (wake) => {
    woken.wake = wake;
    return () => {
      woken.wake = undefined;
    };
  });
  return { clock, woken, ended };
}

test.each<[string, (wait: ReturnType<typeof waiting>, stop: AbortController) => unknown]>([
  ["time has passed", ({ clock }) => clock.advance(1000)],
  ["it is woken", ({ woken }) => woken.wake?.()],
  ["the signal aborts", (_wait, stop) => stop.abort()],
])("a wait ends when %s, and leaves no listener and no timer", async (_when, end) => {
  const stop = new AbortController();
  const wait = waiting(stop.signal);
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
  await end(wait, stop);
  await wait.ended;
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  expect(wait.woken.wake).toBeUndefined();
  expect(wait.clock.pending).toBe(0);
});

test("a wait with an aborted signal ends at once", async () => {
  const { woken, ended } = waiting(AbortSignal.abort());
  expect(woken.wake).toBeUndefined();
  await ended;
});
