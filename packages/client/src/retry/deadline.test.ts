import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { waitWithin } from "./deadline.ts";

const never = new Promise<never>(() => {});

test("returns the result of the work, or its error", async () => {
  const clock = fakeClock();
  expect(await waitWithin({ clock, deadlineMs: 10 }, Promise.resolve(1))).toBe(1);
  await expect(waitWithin({ clock }, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(clock.pending).toBe(0);
});

test("ends at the deadline", async () => {
  const clock = fakeClock();
  const waiting = waitWithin({ clock, deadlineMs: 10 }, never);
  const ended = expect(waiting).rejects.toMatchObject({ code: "CLIENT_DEADLINE_EXCEEDED", ambiguous: false });
  await clock.advance(10);
  await ended;
});

test.each(["before", "during"])("ends when the caller aborts %s it", async (moment) => {
  const clock = fakeClock();
  const stop = new AbortController();
  if (moment === "before") stop.abort();
  const waiting = waitWithin({ clock, signal: stop.signal, deadlineMs: 10 }, never);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: "CLIENT_ABORTED", ambiguous: false });
  expect(clock.pending).toBe(0);
});
