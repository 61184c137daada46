import { expect, test } from "vitest";
import { CallsInFlight } from "./calls-in-flight.ts";

test("close waits for calls in flight, also failing ones, and rejects later ones", async () => {
  const calls = new CallsInFlight(() => new Error("closed"));
  const ends: (() => void)[] = [];
  const pending = () => new Promise<void>((resolve) => void ends.push(resolve));
  const first = calls.run(pending);
  const second = calls.run(async () => {
    await pending();
    throw new Error("failed");
  });
  let isClosed = false;
  const closing = calls.close().then(() => {
    isClosed = true;
  });
  await expect(calls.run(async () => 1)).rejects.toThrow("closed");
  ends[0]?.();
  await first;
  expect(isClosed).toBe(false);
  ends[1]?.();
  await expect(second).rejects.toThrow("failed");
  await closing;
});

test("close without calls resolves at once", async () => {
  await new CallsInFlight(() => new Error("closed")).close();
});
