import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../src/cli/build-program.ts";
import { exitCodes } from "../src/cli/frame/failures.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";
import { runMain } from "./run-main.ts";

const page = readDocs("docs/reference/cli.md");
const quiet = { write: () => {} };
const program = await buildProgram({
  stdout: quiet,
  stderr: quiet,
  env: {},
  signal: new AbortController().signal,
});

interface NamedCommand {
  readonly path: readonly string[];
  readonly command: Command;
}

function commandsUnder(parent: Command, path: readonly string[] = []): NamedCommand[] {
  return parent.commands.flatMap((command) => {
    const here = [...path, command.name()];
    return [{ path: here, command }, ...commandsUnder(command, here)];
  });
}

const all = commandsUnder(program);

function expectOptionsOfServe(command: Command): void {
  const flagsOf = (one: Command | undefined) => (one?.options ?? []).map(({ flags }) => flags);
  const ofServe = flagsOf(all.find(({ path }) => path.join(" ") === "serve")?.command);
  expect(ofServe.length).toBeGreaterThan(40);
  expect(flagsOf(command)).toEqual(ofServe.filter((flags) => !flags.startsWith("--print-template")));
}

/** What says where the data is: listed once. */
const places = tableRows(sectionOf(page, "## Where the data is"))
  .map(([flags = ""]) => flags)
  .filter((flags) => flags.startsWith("-"));

describe("docs/reference/cli.md", () => {
  test("has a section for each command, and none for others", () => {
    const headings = [...page.matchAll(/^## tablekeep (.+)$/gm)].map((match) => match[1]);
    expect(headings).toEqual(all.map(({ path }) => path.join(" ")));
  });

  test.each(all)("lists the options of $path", ({ path, command }) => {
    // It takes what serve takes, which is listed there.
    if (path.join(" ") === "config") return expectOptionsOfServe(command);
    const section = sectionOf(page, `## tablekeep ${path.join(" ")}`);
    const listed = tableRows(section)
      .map(([flags]) => flags)
      .filter((flags) => flags?.startsWith("-"));
    const own = command.options.map(({ flags }) => flags);
    const takesPlace = !["serve", "dynamodb"].includes(path[0] ?? "") && own.includes("--data <folder>");
    expect(listed).toEqual(takesPlace ? own.filter((flags) => !places.includes(flags ?? "")) : own);
    if (!takesPlace) return;
    expect(section).toContain("(#where-the-data-is)");
    expect(own).toEqual(expect.arrayContaining(places));
  });

  test("lists the options of every command", () => {
    const listed = tableRows(sectionOf(page, "## For every command")).map(([flags]) => flags);
    expect(listed).toEqual([...program.options.map(({ flags }) => flags), "-h, --help"]);
  });

  test("lists every exit code with its kind, and no other", () => {
    const rows = tableRows(sectionOf(page, "## Exit codes"));
    const listed = Object.fromEntries(rows.map(([code, kind]) => [kind, Number(code)]));
    expect(rows).toHaveLength(Object.keys(listed).length);
    expect(listed).toEqual(exitCodes);
  });

  test("every kind of failure has an exit code of its own", () => {
    const codes = Object.values(exitCodes);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes).not.toContain(0);
  });
});

describe("the help of a command", () => {
  test.each(all)("of $path fits a terminal and shows no empty default", async ({ path }) => {
    const { stdout } = await runMain([...path, "--help"]);
    const [text = ""] = stdout.split(/\nExamples?:\n/);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(text).not.toMatch(/default:\s+(\[\]|"")/);
  });

  test.each([{ path: [], command: program }, ...all])(
    "tablekeep $path ends with examples that the parser takes",
    async ({ path }) => {
      const { code, stdout } = await runMain([...path, "--help"]);
      expect(code).toBe(0);
      const [, examples = ""] = stdout.split(/\nExamples?:\n/);
      const lines = examples.trimEnd().split("\n");
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) {
        expect(line).toMatch(/^ {2}\$ npx tablekeep /);
        // Options of the program may stand anywhere.
        const isOfAll = (word: string) => program.options.some(({ long }) => long === word);
        const words = line
          .trim()
          .split(" ")
          .slice(3)
          .filter((word) => !isOfAll(word));
        // The longest path that fits: a command of a command stands behind it.
        const target = all.findLast(({ path: at }) => at.every((word, index) => words[index] === word));
        const { operands = [], unknown } =
          target?.command.parseOptions(words.slice(target.path.length)) ?? {};
        expect({ line, unknown }).toEqual({ line, unknown: [] });
        const taken = target?.command.registeredArguments ?? [];
        if (!taken.some(({ variadic }) => variadic))
          expect(operands.length).toBeLessThanOrEqual(taken.length);
        expect(operands.length).toBeGreaterThanOrEqual(taken.filter(({ required }) => required).length);
        expect(words.slice(0, path.length)).toEqual(path);
      }
    },
  );
});
