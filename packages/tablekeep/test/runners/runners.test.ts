/** Runs real test runners on small projects that use `tablekeep/testing` as it is built. Playwright runs in `examples/test-fixtures`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const projects = fileURLToPath(new URL("fixtures/", import.meta.url));
const programOf = (name: string, path: string) =>
  join(createRequire(import.meta.url).resolve(`${name}/package.json`), "..", path);

/** What a runner prints, and its exit code. It has to end by itself: the server of the tests must not keep it alive. */
async function run(project: string, args: readonly string[]) {
  // A runner that is started by another one would report to it, or take over its settings.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_)|^(TEST|DEV|PROD|MODE)$/.test(name),
  );
  const child = spawn(process.execPath, args, {
    cwd: join(projects, project),
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { code: code as number, output: out + errors };
}

describe("tests that use the same names do not see each other's data", () => {
  test("in vitest: 50 tests, in two workers and at the same time", async () => {
    const { code, output } = await run("vitest", [programOf("vitest", "vitest.mjs"), "run"]);
    expect(code, output).toBe(0);
    expect(output).toContain("50 passed");
  });

  test("in node:test, which ends by itself and shows a difference", async () => {
    const { code, output } = await run("node", ["--test", "--test-reporter=tap", "everything.test.mjs"]);
    expect(output).toContain("# pass 3");
    expect(output).toContain("# fail 1");
    expect(output).toContain("level: expected 4, got 3");
    expect(code).toBe(1);
  });
});

test("the matchers work with the expect of Jest, and with values of its contexts", async () => {
  const { code, output } = await run("jest", ["--test", "--test-reporter=tap", "everything.test.mjs"]);
  expect(output).toContain("# pass 2");
  expect(code, output).toBe(0);
});
