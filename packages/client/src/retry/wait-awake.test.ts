import { systemClock } from "@tablekeep/core";
import { expect, test } from "vitest";
import { waitAwake } from "./wait-awake.ts";

/** Timers that keep the process alive. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

test("a wait keeps the process alive, and nothing does after it", async () => {
  const before = timers();
  const waiting = waitAwake(systemClock, 20);
  expect(timers()).toBe(before + 1);
  await waiting;
  expect(timers()).toBe(before);
});

test("an abort ends it at once", async () => {
  const before = timers();
  const controller = new AbortController();
  const waiting = waitAwake(systemClock, 60_000, controller.signal);
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  expect(timers()).toBe(before);
});
