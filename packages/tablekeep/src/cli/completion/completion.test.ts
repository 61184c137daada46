import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { runMain } from "../../../test/run-main.ts";
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
