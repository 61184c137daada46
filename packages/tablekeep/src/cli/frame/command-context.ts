import { CliError } from "./cli-error.ts";
import { clearLine } from "./progress.ts";
import { columnsOf, fitted, streamOutput, type TextSink } from "./text-output.ts";

/** Text that is safe to print to a terminal: control characters are escaped. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Lines of labels and values, the values in one column. */
export function labeled(lines: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  return lines.map(([label, value]) => printable(`${label.padEnd(width)}${value}`)).join("\n");
}

/** Resolves when the user stops the command. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Runs a command that the user ends with Ctrl+C: an error after that is not a failure, even while the command starts. */
export async function runUntilStopped(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The environment of a command line. Injected, so that a test can run one without a process. */
export interface CommandIo {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** The input of the command. @default nothing */
  readonly stdin?: AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the command is to stop: Ctrl+C, SIGTERM, or a closed output. */
  readonly signal: AbortSignal;
  /** Prompts the user at the terminal; undefined without a terminal. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Reads a line at the terminal without showing it; undefined without a terminal. */
  readonly askSecret?: (question: string) => Promise<string>;
  /**
   * Passes uncaught errors to `listener` and keeps the process running; returns a function that stops this.
   * @default such an error ends the process
   */
  readonly onUncaught?: (listener: (error: unknown) => void) => () => void;
}

/** What every command receives beside its own options. */
export interface CommandContext {
  readonly io: CommandIo;
  /** Writes one result to stdout: `text` unless it is empty, or with `--json` `value` as one line of JSON. */
  print(text: string, value: object): void;
  /** The same for a line about a completed action, such as `Deleted 3 messages.`: nothing with `--quiet`. */
  printDone(text: string, value: object): void;
  /** The same for one of many results: resolves once the reader of the output has caught up. */
  printNext(text: () => string, value: () => object): Promise<void>;
  /** The same for a row of a list, whose last line is cut to the width of a terminal. `text` is called with that width. */
  printRow(text: (columns: number) => string, value: () => object): Promise<void>;
  /** Writes a line for people to stdout, such as a heading; nothing with `--json` and `--quiet`. */
  printNote(text: string): void;
  /** The same, only at a terminal, at the end of a list without rows. Scripts expect no output then. */
  printIfNone(text: string): void;
}

/** How a command prints. */
export interface OutputFlags {
  readonly json?: true;
  readonly quiet?: true;
}

/** A context that reads `flags` at each print, because options are parsed after commands are declared. */
export function commandContext(io: CommandIo, flags: () => OutputFlags): CommandContext {
  const output = streamOutput(io.stdout);
  const wantsJson = () => flags().json === true;
  const isQuiet = () => flags().quiet === true;
  let hasProgress = false;
  let hasRows = false;
  const stderr: TextSink = {
    write(text) {
      hasProgress = typeof text === "string" && text !== clearLine && text.startsWith(clearLine);
      return io.stderr.write(text);
    },
    // Progress is shown at a terminal only.
    get isTTY() {
      return io.stderr.isTTY === true && !isQuiet();
    },
    get columns() {
      return io.stderr.columns ?? 0;
    },
  };
  /** Without this, a result that is printed meanwhile would continue the progress line. */
  const clearProgress = () => {
    if (hasProgress) stderr.write(clearLine);
  };
  const print: CommandContext["print"] = (text, value) => {
    if (text === "" && !wantsJson()) return;
    clearProgress();
    io.stdout.write(`${wantsJson() ? JSON.stringify(value) : text}\n`);
  };
  const printLine = (line: string) => {
    hasRows = true;
    clearProgress();
    return output.write(`${line}\n`);
  };
  const printNote = (text: string) => {
    if (!wantsJson() && !isQuiet()) io.stdout.write(`${text}\n`);
  };
  return {
    io: { ...io, stderr },
    print,
    printDone(text, value) {
      if (!isQuiet()) print(text, value);
    },
    printNext: (text, value) => printLine(wantsJson() ? JSON.stringify(value()) : text()),
    printRow: (text, value) => printLine(wantsJson() ? JSON.stringify(value()) : rowText(text, io.stdout)),
    printNote,
    printIfNone(text) {
      if (!hasRows && io.stdout.isTTY === true && !io.signal.aborted) printNote(text);
    },
  };
}

function rowText(text: (columns: number) => string, stdout: TextSink): string {
  const lines = text(columnsOf(stdout)).split("\n");
  return [...lines.slice(0, -1), fitted(lines.at(-1) ?? "", stdout)].join("\n");
}

/** Reads stdin to its end, up to `limit` bytes. */
export async function readInput({ stdin }: CommandIo, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stdin ?? []) {
    length += part.length;
    if (length > limit) throw new CliError("CLI_FILE_INVALID", `the input is longer than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

/** Continues only if the user confirms, by `--yes` or at the terminal. */
export async function confirm(io: CommandIo, yes: boolean | undefined, question: string): Promise<void> {
  if (yes === true) return;
  if (io.ask === undefined) throw new CliError("CLI_NOT_CONFIRMED", `${question} Pass --yes to confirm`);
  if (!(await io.ask(`${question} [y/N] `)))
    throw new CliError("CLI_NOT_CONFIRMED", "not confirmed; nothing was changed");
}
