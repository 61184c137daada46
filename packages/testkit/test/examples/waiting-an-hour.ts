import assert from "node:assert/strict";
import { sleep } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";

/** An hour passes in a moment; a jump of the date does not affect pending waits. */
export async function waitingAnHour() {
  const clock = fakeClock({ startAt: Date.UTC(2030, 0, 1) });
  const ticks = await clock.autoAdvance(async () => {
    let count = 0;
    for (; count < 60; count++) await sleep(clock, 60_000);
    return count;
  });
  clock.jump(-600_000);
  assert.deepEqual([ticks, clock.monotonic()], [60, 3_600_000]);
  assert.equal(new Date(clock.now()).toISOString(), "2030-01-01T00:50:00.000Z");
}
