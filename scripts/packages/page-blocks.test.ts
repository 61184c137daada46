/** The code of the README files and of the how-to pages runs as printed, on the Node that runs the tests. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkoutFiles } from "../lib/checkout-files.mjs";
import { rootFolder } from "../lib/run-command.mjs";
import { readManifest, run as runCommand } from "./pack-and-install.ts";
import {
  type Block,
  blocksOf,
  commandsOf,
  importsOf,
  isContinuation,
  moduleOf,
  programAt,
} from "./page-blocks.ts";
import { preparePage } from "./page-data.ts";
import { type Decision, decisions } from "./page-decisions.ts";
import { openPageRun, type PageRun } from "./page-run.ts";

beforeAll(() => runCommand(process.execPath, [join("scripts", "build.mjs")], rootFolder));

const isRun = /^(?:README\.md|docs\/how-to\/[^/]+\.md|packages\/[^/]+\/README\.md)$/;
const pages = (await checkoutFiles())
  .filter(({ path }) => isRun.test(path))
  .map(({ path, source }) => ({ path, source, blocks: blocksOf(source) }))
  .filter(({ blocks }) => blocks.length > 0);

test("every page with code has decisions", () => {
  expect(pages.map(({ path }) => path).toSorted()).toEqual(Object.keys(decisions).toSorted());
});

describe.each(pages)("$path", ({ path, source, blocks }) => {
  const decided = Object.entries(decisions[path] ?? {}).flatMap(([heading, all]) =>
    all.map((decision) => ({ heading, decision })),
  );

  test("has a decision for every block", () => {
    expect(decided.map(({ heading }) => heading)).toEqual(blocks.map(({ heading }) => heading));
  });

  test("marks what continues the block above, and imports the rest", () => {
    const programs = blocks.filter(({ language }) => language !== "sh");
    const neither = programs.filter((block) => isContinuation(block) === /^import\s/m.test(block.code));
    expect(neither.map(({ heading, code }) => `${heading}: ${code}`)).toEqual([]);
    const continuations = decided.flatMap(({ decision }, index) =>
      decision === "continuation" ? [index] : [],
    );
    expect(continuations).toEqual(blocks.flatMap((block, index) => (isContinuation(block) ? [index] : [])));
  });

  test("names the version of every package that it imports", () => {
    const missing = importsOf(blocks)
      .map((name) => `${name}@${majorOf(name)}`)
      .filter((needed) => !new RegExp(`(?<=[ \`])${needed}(?=[ \`\n])`).test(source));
    expect(missing).toEqual([]);
  });

  const runnable = blocks
    .map((block, index) => ({ block, index, heading: block.heading, decision: decided[index]?.decision }))
    .filter(
      ({ decision }) =>
        decision !== "continuation" && !(typeof decision === "object" && "notRun" in decision),
    );
  // vitest fails a suite without tests.
  if (runnable.length === 0) return;

  describe("runs", () => {
    let page: PageRun;
    let end = async () => {};
    beforeAll(async () => {
      // One page is enough to see that npm's own npx finds the program.
      page = await openPageRun({ npx: path === "README.md" ? "real" : "quick" });
      end = await preparePage(path, page);
    });
    afterAll(async () => {
      await page[Symbol.asyncDispose]();
      await end();
    });

    test.each(runnable)("$heading, block $index", async ({ block, index, decision }) => {
      await runBlock(page, block, programAt(blocks, index), index, decision);
    });

    if (path === "README.md")
      test("the command line finds what the journal's block writes, without the name of a table", async () => {
        expect(await page.run("npx", ["tablekeep", "journal", "list", "--data", "./data"])).toBe("cart-1\n");
      });
  });
});

async function runBlock(
  page: PageRun,
  block: Block,
  program: string,
  index: number,
  decision: Decision | undefined,
): Promise<void> {
  if (typeof decision !== "object" || "notRun" in decision)
    throw new Error("there is no decision for this block");
  const name = `block-${index}.mjs`;
  if ("commands" in decision) {
    const commands = commandsOf(block);
    expect(commands).toHaveLength(decision.commands.length);
    for (const [at, command] of commands.entries()) {
      const expected = decision.commands[at] ?? /no command/;
      const shell = ["-c", page.here(command)];
      if ("serves" in expected) await page.serve("sh", shell, expected.serves);
      else if ("goesOn" in expected) {
        const repeated = commands[expected.meanwhile ?? -1];
        const again = repeated === undefined ? undefined : ["-c", page.here(repeated)];
        await page.runUntil("sh", shell, expected.goesOn, again);
      } else expect(await page.run("sh", shell), command).toMatch(expected);
    }
  } else if ("file" in decision) {
    page.save(decision.file, program);
  } else if ("testFile" in decision) {
    page.save(decision.testFile, program);
    // Otherwise vitest uses the configuration of this checkout. Its own timeout is too short for a busy machine, and with CI set it
    // stores no snapshots.
    page.save("vitest.config.mjs", "export default { test: { testTimeout: 300_000, update: true } };");
    const output = await page.run("npx", ["vitest", "run", decision.testFile]);
    expect(output).toContain(`Tests  ${decision.passed} passed (${decision.passed})`);
  } else if ("call" in decision) {
    page.save(name, moduleOf(program));
    page.save(`call-${name}`, callOf(name, decision.call));
    await page.run(process.execPath, [`call-${name}`]);
  } else {
    page.save(name, moduleOf(program));
    if (decision.goesOn === undefined)
      expect(await page.run(process.execPath, [name])).toMatch(decision.program);
    else await page.runUntil(process.execPath, [name], decision.program);
  }
}

/** A program that calls a function of a block with a port and a table with the keys `pk` and `sk`. */
function callOf(module: string, name: string): string {
  return `
    import { ensureTable } from "@tablekeep/client";
    import { openEngine } from "@tablekeep/engine";
    import { ${name} } from "./${module}";
    const port = await openEngine({ storage: { kind: "memory" } });
    const key = (name) => ({ name, type: "S" });
    await ensureTable(port, { name: "table", partitionKey: key("pk"), sortKey: key("sk") });
    await ${name}(port, "table");
    await port.close();
  `;
}

/** The part of a package's version that a reader installs: 5 of 5.16.0, and 0.28 of 0.28.2. */
function majorOf(name: string): string {
  const { version } = readManifest(join(rootFolder, "node_modules", name));
  return /^0\.\d+|^\d+/.exec(String(version))?.[0] ?? "";
}
