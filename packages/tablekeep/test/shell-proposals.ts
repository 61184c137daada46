import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A shell that waits for something would block its test, and all others, forever. */
const timeout = 300_000;

/** Whether this machine has a shell. */
export function hasShell(name: "fish" | "zsh"): boolean {
  return spawnSync(name, ["--version"]).status === 0;
}

/** What fish proposes for the last word of each line, sorted. It finds the script as a user stores it. */
export function fishProposals(script: string, lines: readonly string[]): readonly (readonly string[])[] {
  return inNewHome((home) => {
    const completions = join(home, "fish", "completions");
    mkdirSync(completions, { recursive: true });
    writeFileSync(join(completions, "tablekeep.fish"), script);
    // fish completes only commands that exist.
    const bin = join(home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "tablekeep"), "#!/bin/sh\n");
    chmodSync(join(bin, "tablekeep"), 0o755);
    const env = { HOME: home, XDG_CONFIG_HOME: home, PATH: `${bin}:${process.env["PATH"]}` };
    const ask = lines.map((line) => `complete -C '${line}' | string replace -r '\\t.*' ''; echo ==`);
    return listsOf(
      execFileSync("fish", ["-c", ask.join("\n")], { cwd: home, env, timeout, encoding: "utf8" }),
    );
  });
}

/**
 * What zsh proposes when a user types each line and presses Tab, sorted. All lines are typed into one interactive shell, which
 * finds the script as a user stores it.
 */
export function zshProposals(script: string, lines: readonly string[]): readonly (readonly string[])[] {
  return inNewHome((home) => {
    mkdirSync(join(home, "functions"));
    writeFileSync(join(home, "functions", "_tablekeep"), script);
    writeFileSync(join(home, ".zshrc"), zshStart);
    writeFileSync(join(home, "type.zsh"), zshTyping);
    const env = { HOME: home, ZDOTDIR: home, PATH: process.env["PATH"], TERM: "dumb" };
    const args = ["-f", join(home, "type.zsh"), ...lines];
    return listsOf(execFileSync("zsh", args, { cwd: home, env, timeout, encoding: "utf8" }));
  });
}

/** Tab writes what is proposed to a pipe, and empties the line. */
const zshStart = `
fpath=($HOME/functions $fpath)
autoload -Uz compinit
compinit -u -D
typeset -ga seen
compadd() {
  local -a hits
  builtin compadd -O hits "$@"
  seen+=($hits)
  builtin compadd "$@"
}
_ask() {
  seen=()
  _main_complete
  compstate[insert]=''
  compstate[list]=''
  print -l -- $seen '==' > $HOME/pipe
}
zle -C ask complete-word _ask
press() {
  zle ask
  BUFFER=
}
zle -N press
bindkey '^I' press
`;

/** Types its arguments into an interactive shell, each with a Tab at its end. */
const zshTyping = `
zmodload zsh/zpty
mkfifo $HOME/pipe
zpty shell zsh -i
for line in "$@"; do
  zpty -w -n shell "$line"$'\\t'
  cat $HOME/pipe
  # What the terminal shows must not fill its buffer.
  while zpty -r -t shell shown; do :; done
done
zpty -d shell
`;

/** The words before each line `==`. */
function listsOf(output: string): readonly (readonly string[])[] {
  const parts = output.split(/^==\n/m).slice(0, -1);
  return parts.map((part) => [...new Set(part.split("\n").filter(Boolean))].toSorted());
}

function inNewHome<Result>(use: (home: string) => Result): Result {
  const home = mkdtempSync(join(tmpdir(), "tablekeep-shell-"));
  try {
    return use(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
