import { type Command, InvalidArgumentError } from "commander";

/** The help of a command. */
export interface CommandText {
  /** One line for the list of commands. */
  readonly summary: string;
  /** The purpose of the command, in a sentence or two. */
  readonly description: string;
  /** Complete command lines; the help ends with them. */
  readonly examples: readonly [string, ...string[]];
}

/** Declares a command under `parent`. Its help ends with its examples. */
export function addCommand(parent: Command, name: string, text: CommandText): Command {
  return parent
    .command(name)
    .summary(text.summary)
    .description(text.description)
    .addHelpText("after", exampleText(text.examples));
}

/** The option of commands that ask before they destroy anything. */
export interface ConfirmFlag {
  readonly yes?: true;
}

/** Adds the option that skips the question of `confirm`. */
export function addConfirmOption(command: Command): Command {
  return command.option("-y, --yes", "skip the confirmation");
}

/** The last part of a help page. */
export function exampleText(examples: readonly [string, ...string[]]): string {
  const title = examples.length === 1 ? "Example:" : "Examples:";
  return ["", title, ...examples.map((line) => `  $ ${line}`)].join("\n");
}

/** Collects the values of a repeatable option. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Parses an integer of at least `min`. */
export function parseInteger(min: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^-?\d+$/.test(text) && Number.isSafeInteger(number) && number >= min) return number;
    const isTooLarge = /^\d+$/.test(text) && number > min;
    throw new InvalidArgumentError(
      isTooLarge
        ? `expected an integer of at most ${Number.MAX_SAFE_INTEGER}`
        : `expected an integer of at least ${min}`,
    );
  };
}

/** Parses a number above 0. */
export function parseRate(text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError("expected a number greater than 0");
}

/** A TCP port from the command line; 0 lets the system choose one. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("expected a port from 0 to 65535 (0 lets the system choose)");
  }
  return port;
}
