import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { cliReference } from "../../../scripts/lib/cli-reference.mjs";
import { buildProgram } from "../src/cli/build-program.ts";
import { exitCodes } from "../src/cli/frame/failures.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";
import { runMain } from "./run-main.ts";

const page = readDocs("docs/reference/cli.md");
const quiet = { write: () => {} };
const io = { stdout: quiet, stderr: quiet, env: {}, signal: new AbortController().signal };
const program = await buildProgram(io);

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

/** The flags that the tables of a section list. */
function flagsIn(heading: string): readonly string[] {
  return tableRows(sectionOf(page, heading))
    .map(([flags = ""]) => flags)
    .filter((flags) => flags.startsWith("-"));
}

const locationFlags = flagsIn("## Where the data is");

describe("docs/reference/cli.md", () => {
  test("has a section for each command, and none for others", () => {
    const headings = [...page.matchAll(/^## tablekeep (.+)$/gm)].map((match) => match[1]);
    expect(headings).toEqual(all.map(({ path }) => path.join(" ")));
  });

  test.each(all)("lists the options of $path", ({ path, command }) => {
    // They accept the options of serve, which are listed there.
    if (["config", "doctor"].includes(path.join(" "))) return expectOptionsOfServe(command);
    const heading = `## tablekeep ${path.join(" ")}`;
    const [group = ""] = path;
    const own = command.options.map(({ flags }) => flags);
    // A group lists what its commands share; each of these names the shared options that it has.
    if (command.commands.length > 0) return;
    // Commands without data, such as those of auth, list all their options.
    const isInGroup = path.length > 1 && own.includes("--data <folder>");
    const shared = isInGroup ? flagsIn(`## tablekeep ${group}`).filter((flags) => own.includes(flags)) : [];
    const common = isInGroup ? [...locationFlags, ...shared] : [];
    expect(flagsIn(heading)).toEqual(own.filter((flags) => !common.includes(flags)));
    if (!isInGroup) return;
    expect(own).toEqual(expect.arrayContaining([...locationFlags]));
    const section = sectionOf(page, heading);
    expect(section).toContain("(#where-the-data-is)");
    for (const flags of shared) expect(section).toContain(`\`${/--[a-z-]+/.exec(flags)?.[0]}\``);
  });

  test("lists no shared option that no command has", () => {
    for (const { path, command } of all.filter(({ command: each }) => each.commands.length > 0)) {
      const had = command.commands.flatMap(({ options }) => options.map(({ flags }) => flags));
      const listed = flagsIn(`## tablekeep ${path.join(" ")}`);
      expect(listed.filter((flags) => !had.includes(flags))).toEqual([]);
    }
  });

  test("has the summaries that the list of commands shows without loading them", async () => {
    const listed = await buildProgram(io, ["--help"]);
    expect(listed.commands.map((each) => [each.name(), each.summary()])).toEqual(
      program.commands.map((each) => [each.name(), each.summary()]),
    );
  });

  test("lists the options of every command", () => {
    const listed = tableRows(sectionOf(page, "## Options of every command")).map(([flags]) => flags);
    expect(listed).toEqual([...program.options.map(({ flags }) => flags), "-h, --help"]);
  });

  test("lists every exit code with its kind, and no other", () => {
    const rows = tableRows(sectionOf(page, "## Exit codes"));
    const listed = Object.fromEntries(rows.map(([code, kind]) => [kind, Number(code)]));
    expect(rows).toHaveLength(Object.keys(listed).length);
    expect(listed).toEqual(exitCodes);
  });

  test("every kind of failure has its own exit code", () => {
    const codes = Object.values(exitCodes);
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes).not.toContain(0);
  });
});

describe("npm run cli-reference", () => {
  const changed = (from: string | RegExp, to: string) => {
    const text = page.replace(from, to);
    expect(text).not.toBe(page);
    return cliReference(text, program);
  };

  test("changes nothing if the page is current", () => {
    expect(cliReference(page, program)).toBe(page);
  });

  test("removes sections and options that the program does not have", () => {
    expect(
      changed("## tablekeep mail wait\n", "## tablekeep mail await\n\nx\n\n## tablekeep mail wait\n"),
    ).toBe(page);
    const row = "| `--limit <number>` |";
    expect(changed(row, `| \`--most <number>\` | x. |  |\n${row}`)).toBe(page);
  });

  test("adds missing options, in the order of the program", () => {
    const text = changed(/^\| `--new` \|.*\n/m, "");
    const section = sectionOf(text, "## tablekeep mail wait");
    expect(section).toContain("| `--new` | Ignore messages that are already stored. |  |\n");
    expect(section.indexOf("--new")).toBeGreaterThan(section.indexOf("--timeout"));
    expect(
      changed(
        /^Shared options: `--table`, `--layout`, `--inbox`, `--query`.*\n/m,
        "It also accepts the options for x.\n",
      ),
    ).toBe(page);
  });

  test("writes the section of a new command from its help", () => {
    const start = page.indexOf("## tablekeep mail get\n");
    const end = page.indexOf("## ", start + 3);
    const text = cliReference(page.slice(0, start) + page.slice(end), program);
    expect(sectionOf(text, "## tablekeep mail get")).toBe(
      [
        "",
        "Prints the main header fields, the text and the attachments of a message.",
        "",
        "| option | description | default |",
        "| --- | --- | --- |",
        "| `--raw` | Print the received bytes. |  |",
        "",
        "Shared options: `--table`, `--layout`, `--inbox` ([described here](#tablekeep-mail)), and [where the data is](#where-the-data-is).",
        "",
        "",
      ].join("\n"),
    );
    expect(text.indexOf("## tablekeep mail get\n")).toBe(start);
  });

  test("keeps hand-written text", () => {
    const text = page
      .replace("Maximum number of messages.", "As many messages.")
      .replace("## Exit codes", "Prose.\n\n## Exit codes");
    expect(cliReference(text, program)).toBe(text);
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
    "tablekeep $path ends with examples that the parser accepts",
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
