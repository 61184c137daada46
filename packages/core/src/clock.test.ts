import { expect, test } from "vitest";
import { sleep, systemClock } from "./clock.ts";

test.each([2 ** 31, Number.POSITIVE_INFINITY])("a timer of %s ms does not ring at once", async (ms) => {
  let rang = false;
  const cancel = systemClock.after(ms, () => {
    rang = true;
  });
  await sleep(systemClock, 20);
  cancel();
  expect(rang).toBe(false);
});
