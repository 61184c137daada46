import { expect, test } from "vitest";
import { FlushPace } from "./flush-pace.ts";

function afterInline(pace: FlushPace, ms: number, limit: number): number {
  let commits = 0;
  while (!pace.isSlow && commits < limit) {
    pace.addInline(ms);
    commits++;
  }
  return commits;
}

test("fast commits stay on the event loop, whatever single ones take", () => {
  const pace = new FlushPace();
  for (let round = 0; round < 100; round++) {
    pace.addInline(15);
    for (let at = 0; at < 20; at++) pace.addInline(0.3);
    expect(pace.isSlow).toBe(false);
  }
});

test.each([
  [1500, 1],
  [60, 1],
  [12, 2],
  [6, 7],
])("commits of %s ms leave it after %s", (ms, commits) => {
  const pace = new FlushPace();
  expect(afterInline(pace, ms, 100)).toBe(commits);
  for (let at = 0; at < 1000; at++) pace.addInBackground(ms);
  expect(pace.isSlow).toBe(true);
});

test("commits return once the disk is fast again, although a busy event loop delays most", () => {
  const pace = new FlushPace();
  pace.addInline(60);
  for (let at = 0; at < 15; at++) pace.addInBackground(at === 7 ? 1 : 40);
  expect(pace.isSlow).toBe(true);
  pace.addInBackground(40);
  expect(pace.isSlow).toBe(false);
  expect(afterInline(pace, 60, 100)).toBe(1);
});

test("a limit of 0 keeps all commits off the event loop", () => {
  const pace = new FlushPace(0);
  expect(pace.isSlow).toBe(true);
  for (let at = 0; at < 100; at++) pace.addInBackground(0);
  expect(pace.isSlow).toBe(true);
});
