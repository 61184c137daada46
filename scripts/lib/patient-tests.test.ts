import { describe, expect, test } from "vitest";
import { impatientLines } from "./patient-tests.mjs";

const found = (source: string, path = "packages/mail/src/a.test.ts") => impatientLines({ path, source });

// Built from parts: this file is checked as well.
const now = "performance.now()";

test.each([
  `expect(${now} - before).toBeLessThan(50);`,
  `  await expect.poll(run.stdout, { timeout: ${10_000} }).toBe("x");`,
  `  await vi.waitFor(() => {}, { timeout: ${5_000} });`,
  `${"}"}, ${60_000});`,
  `  ${"}"},\n  ${60_000},\n);`,
  `  test("x", { timeout: ${20_000} }, async () => {`,
])("%s is reported", (line) => {
  expect(found(line)).toHaveLength(1);
});

test.each([
  `expect(${now} - before).toBeGreaterThan(50);`,
  "expect(clock.monotonic() - startedAt).toBeLessThan(1500);",
  `  await expect.poll(run.stdout, { interval: 300 }).toBe("x");`,
  `${"}"}, ${900_000});`,
  `${"}"}, 20);`,
])("%s is not", (line) => {
  expect(found(line)).toEqual([]);
});

describe("a call with less than a second", () => {
  const hasty = "await get(key, { deadlineMs: 200 });";

  test.each([
    hasty,
    "await using port = open({ maxConnections: 4, socketTimeoutMs: 30 });",
    "const deadlineMs = 999;",
    "await expect(get(key, { deadlineMs: 1 })).rejects.toMatchObject({",
    `// Slow is fine: \n${hasty}`,
    `// Slow is fine: too far away\n\n${hasty}`,
  ])("is reported: %s", (source) => {
    expect(found(source)).toEqual([expect.stringContaining("real time")]);
  });

  test.each([
    "await get(key, { deadlineMs: 1_000 });",
    "await get(key, { deadlineMs: 0 });",
    `// Slow is fine: the server never answers.\n${hasty}`,
    `${hasty} // Slow is fine: the server never answers.`,
    `const clock = fakeClock();\n${hasty}`,
    `const clock = { ...systemClock, monotonic: () => elapsed };\n${hasty}`,
    "expect(options).toEqual({ signal, deadlineMs: 50 });",
    "  details: { deadlineMs: 50 },",
    'new ClientError("CLIENT_DEADLINE_EXCEEDED", "m", { deadlineMs: 1, attempts: 1 });',
  ])("is not: %s", (source) => {
    expect(found(source)).toEqual([]);
  });
});

test("only tests are checked", () => {
  expect(found(`expect(${now} - a).toBeLessThan(5);`, "bench/a.ts")).toEqual([]);
  expect(found(`expect(${now} - a).toBeLessThan(5);`, "packages/mail/test/world.ts")).toHaveLength(1);
});
