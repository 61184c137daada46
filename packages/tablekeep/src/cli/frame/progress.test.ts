import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { commandContext } from "./command-context.ts";
import { grouped, Progress } from "./progress.ts";

function sinkOf(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { written, sink: { isTTY, columns, write: (text: string) => written.push(text) } };
}

const clear = "\r\u001b[2K";

test("on a terminal, redraws one line at most ten times a second, and removes it at the end", async () => {
  const { written, sink } = sinkOf(true);
  const clock = fakeClock();
  const progress = new Progress(sink, clock);
  await clock.advance(1000);
  for (let done = 100; done < 150; done++) {
    progress.show(() => ({ verb: "read", done, unit: "items" }));
    await clock.advance(10);
  }
  progress.clear();
  const lines = ["read 100 items, 100/s", "read 110 items, 100/s", "read 120 items, 100/s"];
  expect(written.slice(0, 3)).toEqual(lines.map((line) => `${clear}${line}`));
  expect(written).toHaveLength(6);
  expect(written.at(-1)).toBe(clear);
});

test("shows no progress for work that takes less than a second", async () => {
  const { written, sink } = sinkOf(true);
  const clock = fakeClock();
  const progress = new Progress(sink, clock);
  for (let done = 0; done < 9; done++) {
    progress.show(() => ({ verb: "read", done, unit: "items" }));
    await clock.advance(100);
  }
  progress.clear();
  expect(written).toEqual([]);
});

test.each([
  [{ done: 1200, total: 5000 }, 3000, "wrote 1,200 of 5,000 mails, 24 %, 400/s, 10 s left"],
  [{ done: 10, total: 1000 }, 2000, "wrote 10 of 1,000 mails, 1 %, 5/s, 3 min 18 s left"],
  [{ done: 1, total: 10_000 }, 2000, "wrote 1 of 10,000 mails, 0 %, 1/s, 5 h 33 min left"],
  [{ done: 0, total: 10 }, 2000, "wrote 0 of 10 mails, 0 %, 0/s"],
  [{ done: 30, total: 10 }, 2000, "wrote 30 of 10 mails, 15/s"],
  [{ done: 30, total: 0 }, 2000, "wrote 30 of 0 mails, 15/s"],
  [{ done: 30, part: 0.5 }, 2000, "wrote 30 mails, 50 %, 15/s, 2 s left"],
  [{ done: 10, total: 10 }, 2000, "wrote 10 of 10 mails, 100 %, 5/s, 0 s left"],
])("%j after %d ms is %s", async (work, ms, text) => {
  const { written, sink } = sinkOf(true);
  const clock = fakeClock();
  const progress = new Progress(sink, clock);
  await clock.advance(ms);
  progress.show(() => ({ verb: "wrote", unit: "mails", ...work }));
  expect(written).toEqual([`${clear}${text}`]);
});

test("the line fits the terminal, because a longer one could not be removed", async () => {
  const { written, sink } = sinkOf(true, 12);
  const clock = fakeClock();
  const progress = new Progress(sink, clock);
  await clock.advance(1000);
  progress.show(() => ({ verb: "wrote", done: 1000, unit: "messages" }));
  expect(written).toEqual([`${clear}wrote 1,000…`]);
});

test("writes nothing without a terminal, not even an empty line", async () => {
  const { written, sink } = sinkOf(false);
  const clock = fakeClock();
  const progress = new Progress(sink, clock);
  await clock.advance(2000);
  progress.show(() => ({ verb: "read", done: 1, unit: "items" }));
  progress.clear();
  expect(written).toEqual([]);
});

test("results that are printed meanwhile begin on their own line", async () => {
  const { written, sink } = sinkOf(true);
  const clock = fakeClock();
  const io = { stdout: sink, stderr: sink, env: {}, signal: new AbortController().signal };
  const context = commandContext(io, () => ({}));
  const progress = new Progress(context.io.stderr, clock);
  await clock.advance(1000);
  progress.show(() => ({ verb: "checked", done: 1, unit: "events" }));
  await context.printNext(
    () => "a finding",
    () => ({}),
  );
  await context.printRow(
    () => "a row",
    () => ({}),
  );
  context.print("the end", {});
  expect(written).toEqual([`${clear}checked 1 events, 1/s`, clear, "a finding\n", "a row\n", "the end\n"]);
});

test("counts are grouped", () => {
  expect([0, 999, 1234567].map(grouped)).toEqual(["0", "999", "1,234,567"]);
});
