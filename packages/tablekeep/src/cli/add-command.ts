import type { Command } from "commander";

/** What the help of a command says. */
export interface CommandText {
  /** One line for the list of commands. */
  readonly summary: string;
  /** What the command does, in a sentence or two. */
  readonly description: string;
  /** Command lines that work as they stand; the help ends with them. */
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

/** The last part of a help page. */
export function exampleText(examples: readonly [string, ...string[]]): string {
  const title = examples.length === 1 ? "Example:" : "Examples:";
  return ["", title, ...examples.map((line) => `  $ ${line}`)].join("\n");
}
