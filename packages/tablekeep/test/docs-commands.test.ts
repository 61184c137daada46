import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Command, CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { checkoutFiles } from "../../../scripts/lib/checkout-files.mjs";
import { buildProgram } from "../src/cli/build-program.ts";
import { oneDashFlags } from "../src/cli/main.ts";
import { shellLinesOf, wordsOf } from "./shell-words.ts";

const quiet = { write: () => {} };
const root = fileURLToPath(new URL("../../..", import.meta.url));
const pages = (await checkoutFiles()).filter(({ path }) => path.endsWith(".md"));

/** Every command line of the program that a page shows: in blocks for the shell, and in running text after `npx`. */
function commandLines(markdown: string): string[] {
  const inBlocks = shellLinesOf(markdown)
    .flatMap((line) => line.split(/\s(?:&&|\||&)\s|;/))
    .filter((line) => /^\s*(\w+=\S+ )*(npx )?tablekeep\s/.test(line));
  const inText = [...markdown.matchAll(/`(npx tablekeep [^`\n]+)`/g)].map(([, line = ""]) => line);
  return [...inBlocks, ...inText.filter((line) => !line.includes("…"))];
}

/** The words after the program's name. */
function argumentsOf(line: string): string[] {
  const words = wordsOf(line);
  return words.slice(words.indexOf("tablekeep") + 1);
}

function withoutEffect(command: Command): void {
  command.action(() => {});
  for (const each of command.commands) withoutEffect(each);
}

async function parse(line: string): Promise<string | undefined> {
  const argv = oneDashFlags(argumentsOf(line));
  const program = await buildProgram(
    { stdout: quiet, stderr: quiet, env: {}, signal: new AbortController().signal },
    argv,
  );
  for (const command of program.commands) withoutEffect(command);
  try {
    await program.parseAsync(argv, { from: "user" });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

const shown = pages.flatMap(({ path, source }) => commandLines(source).map((line) => ({ path, line })));

function optionsUnder(command: Command): string[] {
  const own = command.options.flatMap(({ flags }) => flags.match(/--[a-z-]+/g) ?? []);
  return [...own, ...command.commands.flatMap(optionsUnder)];
}

test("options that how-to pages name in running text exist", async () => {
  const program = await buildProgram({
    stdout: quiet,
    stderr: quiet,
    env: {},
    signal: new AbortController().signal,
  });
  // MailHog's, which its page lists as rejected, and esbuild's.
  const others = ["--maildir-path", "--api-host", "--external"];
  const known = new Set([...optionsUnder(program), ...others]);
  const named = pages
    .filter(({ path }) => /^docs\/(how-to|tutorial)/.test(path))
    .flatMap(({ source }) => [...source.matchAll(/`(--[a-z][a-z-]+)/g)].map(([, option = ""]) => option))
    .filter((option) => !option.startsWith("--mongo-"));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((option) => !known.has(option))).toEqual([]);
});

describe("command lines in the docs", () => {
  test("are found", () => {
    expect(shown.length).toBeGreaterThan(30);
  });

  test.each(shown)("$path: $line", async ({ line }) => {
    expect(await parse(line)).toBeUndefined();
  });

  test("a line with an unknown option is reported", async () => {
    expect(await parse("npx tablekeep mail list --nonsense")).toMatch(/unknown option/);
  });
});

describe("the scripts that the docs name", () => {
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { scripts: object };
  const named = pages.flatMap(({ path, source }) =>
    [...source.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => ({ path, name })),
  );

  test.each(named)("$path: npm run $name", ({ name }) => {
    expect(Object.keys(scripts)).toContain(name);
  });
});
