import type { Command, Option } from "commander";

/** An option as a shell completes it. */
export interface CompletedOption {
  /** Its names, such as `-o` and `--output`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Whether a value follows it. */
  readonly hasValue: boolean;
  /** The values that it accepts; empty if they are not a fixed set. */
  readonly choices: readonly string[];
}

/** A command as a shell completes it. */
export interface CompletedCommand {
  /** The words that lead to it, each after a slash: `/mail/list`. Empty for the program itself. */
  readonly path: string;
  readonly summary: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  /** The values of its first argument; empty if they are not a fixed set. */
  readonly choices: readonly string[];
}

/** The program and all commands under it, parents first. Each has the options of the program as well. */
export function commandTree(program: Command): readonly CompletedCommand[] {
  const global = [...program.options.map(completedOption), help];
  const under = (command: Command, path: string): CompletedCommand[] => {
    const inner = command.commands.filter((each) => each.name() !== "help");
    const own = command === program ? [] : command.options.map(completedOption);
    const node = {
      path,
      summary: command.summary(),
      commands: inner.map((each) => ({ name: each.name(), summary: each.summary() })),
      options: [...own, ...global],
      choices: command.registeredArguments[0]?.argChoices ?? [],
    };
    return [node, ...inner.flatMap((each) => under(each, `${path}/${each.name()}`))];
  };
  return under(program, "");
}

const help: CompletedOption = { names: ["-h", "--help"], summary: "show help", hasValue: false, choices: [] };

function completedOption({ flags, description, required, optional, argChoices }: Option): CompletedOption {
  return {
    names: flags.match(/(?<![\w-])--?[\w-]+/g) ?? [],
    summary: description,
    hasValue: required || optional,
    choices: argChoices ?? [],
  };
}
