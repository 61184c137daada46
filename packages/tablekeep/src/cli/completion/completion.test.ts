import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
import { fishProposals, hasShell, zshProposals } from "../../../test/shell-proposals.ts";
import { buildProgram } from "../build-program.ts";
import { commandTree } from "./command-tree.ts";

const quiet = { write: () => {} };
const io = { stdout: quiet, stderr: quiet, env: {}, signal: new AbortController().signal };
const tree = commandTree(await buildProgram(io));

/** What bash proposes for the last word of each line. One shell completes all lines. */
async function proposals(lines: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]> {
  const { stdout: script } = await runMain(["completion", "bash"]);
  const ask = lines.map(
    (words) =>
      `COMP_WORDS=(tablekeep ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _tablekeep; echo "\${COMPREPLY[*]}"`,
  );
  const input = `set -u\n${script}\n${ask.join("\n")}\n`;
  const output = execFileSync("bash", ["--noprofile", "--norc"], { input, encoding: "utf8" });
  return output
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" ").filter(Boolean));
}

test("bash completes commands, options and values", async () => {
  const found = await proposals([
    ["ma"],
    ["mail", "l"],
    ["--json", "mail", "wa"],
    ["mail", "list", "--li"],
    ["mail", "list", "--kind", "re"],
    ["mail", "list", "--kind", "=", "re"],
    ["mail", "list", "--kind", "="],
    ["mail", "export", "--format", "mb"],
    ["completion", ""],
    ["journal", "get", "cart-1", "--fr"],
    ["table", "export", "list", "-o"],
    ["nothing", "here", "x"],
  ]);
  expect(found).toEqual([
    ["mail"],
    ["list", "lint"],
    ["wait", "watch"].filter((verb) => tree.some(({ path }) => path === `/mail/${verb}`)),
    ["--limit"],
    ["recipient"],
    ["recipient"],
    ["query", "text", "recipient", "sender", "to", "from", "containing"],
    ["mboxrd", "mboxo"],
    ["bash", "zsh", "fish"],
    ["--from"],
    ["-o"],
    [],
  ]);
});

test("bash proposes every command and every option of the program", async () => {
  const paths = tree.map(({ path }) => path.split("/").slice(1));
  const commands = await proposals(paths.map((words) => [...words, ""]));
  const options = await proposals(paths.map((words) => [...words, "-"]));
  const program = await buildProgram(io);
  for (const [at, words] of paths.entries()) {
    const command = words.reduce(
      (parent, word) => parent.commands.find((each) => each.name() === word) ?? parent,
      program,
    );
    const inner = command.commands.map((each) => each.name()).filter((name) => name !== "help");
    if (inner.length > 0) expect(commands[at]).toEqual(inner);
    for (const { long, short } of command.options)
      expect(options[at]).toEqual(expect.arrayContaining([long, short].filter(Boolean)));
    expect(options[at]).toEqual(expect.arrayContaining(["--json", "--help"]));
  }
});

describe.each([
  { shell: "zsh", proposed: zshProposals, value: "recipient" },
  { shell: "fish", proposed: fishProposals, value: "--kind=recipient" },
] as const)("$shell", ({ shell, proposed, value }) => {
  test.skipIf(!hasShell(shell))("completes commands, options and values", async () => {
    const { stdout: script } = await runMain(["completion", shell]);
    const found = proposed(script, [
      "tablekeep ma",
      "tablekeep mail l",
      "tablekeep --json mail wa",
      "tablekeep mail list --li",
      "tablekeep mail list --kind re",
      "tablekeep mail list --kind=re",
      "tablekeep mail export --format mb",
      "tablekeep completion ",
      "tablekeep journal get cart-1 --fr",
      "tablekeep nothing here x",
    ]);
    expect(found).toEqual([
      ["mail"],
      ["lint", "list"],
      ["wait", "watch"],
      ["--limit"],
      ["recipient"],
      [value],
      ["mboxo", "mboxrd"],
      ["bash", "fish", "zsh"],
      ["--from"],
      [],
    ]);
  });

  test.skipIf(!hasShell(shell))("proposes every command and every option of the program", async () => {
    const { stdout: script } = await runMain(["completion", shell]);
    const lines = tree.map(({ path }) => `tablekeep${path.replaceAll("/", " ")} `);
    const inner = proposed(script, lines);
    const options = proposed(
      script,
      lines.map((line) => `${line}-`),
    );
    for (const [at, each] of tree.entries()) {
      const words = [...each.commands.map(({ name }) => name), ...each.choices];
      if (words.length > 0) expect(inner[at]).toEqual(words.toSorted());
      const names = each.options.flatMap((option) => option.names);
      expect(options[at]?.toSorted()).toEqual([...new Set(names)].toSorted());
    }
  });
});

test.each(["zsh", "fish"])("the script for %s has every command and option", async (shell) => {
  const { code, stdout } = await runMain(["completion", shell]);
  expect(code).toBe(0);
  for (const { path, options } of tree) {
    expect(stdout).toContain(path);
    for (const { names } of options)
      for (const name of names)
        expect(stdout).toContain(
          shell === "zsh" ? name : name.replace(/^--/, "-l ").replace(/^-(?=\w$)/, "-s "),
        );
  }
});

test("another shell is rejected", async () => {
  expect(await runMain(["completion", "tcsh"])).toMatchObject({ code: 2 });
});
