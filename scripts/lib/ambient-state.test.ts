import { expect, test } from "vitest";
import { ambientState } from "./ambient-state.mjs";

const found = (path: string, source: string) => ambientState({ path, source });

test.each([
  "const now = Date.now();",
  "const now = new Date();",
  "const start = performance.now();",
  "setTimeout(retry, 10);",
  'import { setTimeout as delay } from "node:timers/promises";',
  "const signal = AbortSignal.timeout(10);",
  "return Math.random() * 2;",
  "const region = process.env.AWS_REGION;",
])("a room does not say %s", (line) => {
  expect(found("packages/client/src/a.ts", `first\n${line}`)).toEqual([
    expect.stringContaining("packages/client/src/a.ts:2: uses "),
  ]);
});

test("injected, passed, commented and allowed names are not findings", () => {
  const path = "packages/client/src/a.ts";
  expect(found(path, "clock.now(); new Date(ms); clock.setTimeout(1); random();")).toEqual([]);
  expect(found(path, " * not Date.now()\n// nor Math.random()")).toEqual([]);
  expect(found("packages/client/src/a.test.ts", "Date.now()")).toEqual([]);
  expect(found("packages/core/src/clock.ts", "Date.now()")).toEqual([]);
  expect(found("packages/core/src/port.ts", "Math.random()")).toHaveLength(1);
});
