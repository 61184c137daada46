import { createInterface, type Interface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Command, CommanderError } from "commander";
import { buildProgram } from "./build-program.ts";
import { CliError } from "./frame/cli-error.ts";
import type { CommandIo } from "./frame/command-context.ts";
import { type ReportStyle, reportFailure, translateCommanderError } from "./frame/failures.ts";
import { checkCommandWords } from "./frame/other-words.ts";
import { hasColors, type TextSink } from "./frame/text-output.ts";
import { closestWord } from "./settings/layers.ts";

/** Reads a line. Rejects if it is interrupted: the terminal is in raw mode, so Ctrl+C and Ctrl+D are keys here and not signals. */
function answerOf(terminal: Interface, question: string, signal: AbortSignal): Promise<string> {
  const stop = new AbortController();
  for (const event of ["SIGINT", "close"]) terminal.once(event, () => stop.abort());
  return terminal.question(question, { signal: AbortSignal.any([signal, stop.signal]) });
}

/** Prompts at the terminal of a process; undefined if there is no terminal. */
export function terminalPrompt(
  { stdin, stderr }: Pick<NodeJS.Process, "stdin" | "stderr">,
  signal: AbortSignal,
): ((question: string) => Promise<boolean>) | undefined {
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: stdin, output: stderr });
    try {
      return /^y(es)?$/i.test((await answerOf(terminal, question, signal)).trim());
    } catch (error) {
      throw new CliError("CLI_ABORTED", "interrupted; nothing was changed", error);
    } finally {
      terminal.close();
    }
  };
}

/** Reads a line at the terminal of a process without showing it; undefined if there is no terminal. */
export function terminalSecret(
  { stdin, stderr }: Pick<NodeJS.Process, "stdin" | "stderr">,
  signal: AbortSignal,
): ((question: string) => Promise<string>) | undefined {
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  return async (question) => {
    const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
    const terminal = createInterface({ input: stdin, output: hidden, terminal: true });
    // After the interface has turned off the terminal's own echo.
    stderr.write(question);
    try {
      return await answerOf(terminal, "", signal);
    } catch (error) {
      throw new CliError("CLI_ABORTED", "interrupted", error);
    } finally {
      terminal.close();
      stderr.write("\n");
    }
  };
}

/** The command whose help is asked for must exist: the parser shows the help of the program, or of the group, instead. */
function checkHelp(program: Command, argv: readonly string[]): void {
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined);
  const [first, ...rest] = words.filter((word) => !word.startsWith("-"));
  if (first === undefined) return;
  const isHelp = first === "help";
  const ofGroup = rest[0] === "help" && isGroup(program, first);
  if (!isHelp && !ofGroup && !words.includes("--help") && !words.includes("-h")) return;
  let command = program;
  for (const word of isHelp ? rest : [first, ...(ofGroup ? rest.slice(1) : rest)]) {
    if (command.commands.length === 0 || word === "help") return;
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      const meant = closestWord(
        word,
        command.commands.map((each) => each.name()),
      );
      throw new CliError(
        "CLI_COMMAND_UNKNOWN",
        `unknown command '${word}': ${meant === undefined ? "see --help" : `did you mean ${meant}?`}`,
      );
    }
    command = next;
  }
}

/** Whether a command has subcommands: `mail help put` asks for help, `sendmail help` names a recipient. */
function isGroup(program: Command, name: string): boolean {
  return (program.commands.find((each) => each.name() === name)?.commands.length ?? 0) > 0;
}

/** Our error for a call that was ended by Ctrl+C. */
function interrupted(error: unknown, { signal }: CommandIo): unknown {
  const isAbort = signal.aborted && error instanceof Error && error.name === "AbortError";
  return isAbort ? new CliError("CLI_ABORTED", "interrupted", error) : error;
}

/** Rewrites `help mail put` to `mail put --help`: the parser's own `help` reads only one word, and shows the help of `mail`. */
function helpWords(argv: readonly string[]): readonly string[] {
  const words = argv.filter((word) => !word.startsWith("-"));
  if (words[0] !== "help" || words.length < 3) return argv;
  return [...argv.toSpliced(argv.indexOf("help"), 1), "--help"];
}

/**
 * MailHog's flags have one dash or two, as all flags in Go. `serve` accepts both, so that a command line for MailHog works
 * unchanged; no other command does, because there one dash starts single-letter options.
 */
export function oneDashFlags(argv: readonly string[]): readonly string[] {
  if (argv.find((word) => !word.startsWith("-")) !== "serve") return argv;
  return argv.map((word) => (/^-[a-z][a-z-]/.test(word) ? `-${word}` : word));
}

/** Runs one command line (without the program's own name) and resolves to its exit code. */
export async function main(given: readonly string[], io: CommandIo): Promise<number> {
  const argv = helpWords(oneDashFlags(given));
  try {
    const program = await buildProgram(io, argv);
    checkCommandWords(program, argv);
    checkHelp(program, argv);
    await program.parseAsync(argv, { from: "user" });
    return 0;
  } catch (thrown) {
    const error =
      thrown instanceof CommanderError ? translateCommanderError(thrown) : interrupted(thrown, io);
    return error === undefined ? 0 : reportFailure(error, io.stderr, reportStyle(argv, io));
  }
}

/** Runs the command line of `process`: its streams, its signals, its exit code. */
export async function runProcess(process: NodeJS.Process): Promise<void> {
  const stop = new AbortController();
  const argv = process.argv.slice(2);
  const { stdin, stdout, stderr, env } = process;
  const ask = terminalPrompt(process, stop.signal);
  const askSecret = terminalSecret(process, stop.signal);
  let outputBroken = false;
  // Errors that follow from a broken output are not reported again.
  const errorOutput: TextSink = {
    write: (text) => outputBroken || stderr.write(text),
    isTTY: stderr.isTTY,
    get columns() {
      return stderr.columns;
    },
  };
  const onUncaught: CommandIo["onUncaught"] = (listener) => {
    process.on("uncaughtException", listener);
    return () => void process.off("uncaughtException", listener);
  };
  const io: CommandIo = {
    stdin,
    stdout,
    stderr: errorOutput,
    env,
    signal: stop.signal,
    ask,
    askSecret,
    onUncaught,
  };
  const onSignal = (_name: NodeJS.Signals, number: number) => {
    // The second signal ends the process at once.
    if (stop.signal.aborted) process.exit(128 + number);
    stop.abort();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, onSignal);
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (outputBroken) return;
    process.exitCode = brokenOutput(error, argv, io);
    outputBroken = true;
    stop.abort();
  });
  // There is no output left to report it to.
  stderr.on("error", () => stop.abort());
  const code = await main(argv, io);
  if (!outputBroken) process.exitCode = code;
}

/** The exit code of a command whose output cannot be written. */
function brokenOutput(error: NodeJS.ErrnoException, argv: readonly string[], io: CommandIo): number {
  // `tablekeep … | head -1`: the reader has closed the pipe.
  if (error.code === "EPIPE") return 0;
  const failure = new CliError("CLI_OUTPUT_FAILED", `cannot write the output: ${error.message}`, error);
  return reportFailure(failure, io.stderr, reportStyle(argv, io));
}

function reportStyle(argv: readonly string[], io: CommandIo): ReportStyle {
  const variable = io.env["TABLEKEEP_DEBUG"] ?? "";
  const debug = hasFlag("--debug", argv) || !["", "0"].includes(variable);
  return { json: hasFlag("--json", argv), debug, colors: hasColors(io.stderr, io.env) };
}

/** Searches the words themselves, because the parser may have failed before it reached the option. */
function hasFlag(flag: string, argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes(flag);
}
