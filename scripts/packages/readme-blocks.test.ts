/** The code of README.md runs as it is printed: saved as a module, on the Node that runs the tests. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootFolder } from "../lib/run-command.mjs";
import { run } from "./pack-and-install.ts";

// Inside node_modules, so that packages are found as they are from the checkout, and git does not see it.
const cache = join(rootFolder, "node_modules", ".cache");
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, "readme-blocks-"));
beforeAll(() => run(process.execPath, [join("scripts", "build.mjs")], rootFolder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(join(rootFolder, "README.md"), "utf8");
const blocks = [...page.matchAll(/^## ([^\n]+)\n\n```ts\n(.*?)^```$/gms)].map(
  ([, heading = "", code = ""]) => ({
    heading,
    code,
  }),
);

/** What each block prints. */
const prints: Readonly<Record<string, RegExp>> = {
  "An event journal": /^ok\n1 \{ added: 'apple' \}\n$/,
  Mail: /^Welcome 1\n$/,
  "Device shadows": /^\{ on: true \} 2\n$/,
  "A DynamoDB for tests": /^$/,
};

test("every block is known", () => {
  expect(blocks.map(({ heading }) => heading)).toEqual(Object.keys(prints));
  expect(page.match(/^```ts$/gm)).toHaveLength(blocks.length);
});

test.each(blocks)("$heading", async ({ heading, code }) => {
  const own = join(folder, heading.replaceAll(" ", "-"));
  mkdirSync(own);
  writeFileSync(join(own, "block.mjs"), code);
  expect(await run(process.execPath, ["block.mjs"], own)).toMatch(prints[heading] ?? /^no block$/);
});

test("what the journal's block writes is found by the command line without a table's name", async () => {
  const data = join(folder, "An-event-journal", "data");
  const program = join(rootFolder, "packages", "tablekeep", "bin", "tablekeep.js");
  expect(await run(process.execPath, [program, "journal", "ids", "--data", data], folder)).toBe("cart-1\n");
});
