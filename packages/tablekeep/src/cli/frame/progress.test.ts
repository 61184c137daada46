import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { grouped, Progress } from "./progress.ts";

function sinkOf(isTTY: boolean) {
  const written: string[] = [];
  return { written, sink: { isTTY, write: (text: string) => written.push(text) } };
}

test("on a terminal, redraws one line at most ten times a second, and removes it at the end", async () => {
  const { written, sink } = sinkOf(true);
  const clock = fakeClock();
  const progress = new Progress(sink, clock);
  for (let step = 0; step < 50; step++) {
    progress.show(() => `step ${step}`);
    await clock.advance(10);
  }
  progress.clear();
  expect(written).toEqual([0, 10, 20, 30, 40].map((step) => `\r\u001b[2Kstep ${step}`).concat("\r\u001b[2K"));
});

test("writes nothing without a terminal, not even an empty line", () => {
  const { written, sink } = sinkOf(false);
  const progress = new Progress(sink);
  progress.show(() => "step");
  progress.clear();
  expect(written).toEqual([]);
});

test("counts are grouped", () => {
  expect([0, 999, 1234567].map(grouped)).toEqual(["0", "999", "1,234,567"]);
});
