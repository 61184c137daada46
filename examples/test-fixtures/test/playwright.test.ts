/** Runs what Playwright runs, in a real browser. With CI set there must be one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const example = fileURLToPath(new URL("..", import.meta.url));
const playwright = createRequire(import.meta.url).resolve("@playwright/test/cli");
const isCi = (process.env["CI"] ?? "") !== "";

test.skipIf(!isCi && !existsSync("/usr/bin/chromium"))("the fixtures for Playwright work", async () => {
  const output = await mkdtemp(join(tmpdir(), "playwright-"));
  onTestFinished(() => rm(output, { recursive: true, force: true }));
  const child = spawn(process.execPath, [playwright, "test"], {
    cwd: example,
    env: { ...process.env, PLAYWRIGHT_OUTPUT: output },
  });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(code, said).toBe(0);
  expect(said).toContain("2 passed");
});
