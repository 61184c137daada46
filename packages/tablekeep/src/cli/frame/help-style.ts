import { type Command, Help, type Option } from "commander";

const usual = new Help();

/** The variables of options that are settings of a server. */
const variables = new WeakMap<Option, string>();

/** Names the variable that sets the same as an option; the help shows it. */
export function withVariable(option: Option, variable: string): Option {
  variables.set(option, variable);
  return option;
}

/** The style of help pages. The parser removes the colors if the output does not support them. */
export const helpStyle = {
  showGlobalOptions: true,
  styleTitle: (title: string) => `\u001b[1m${title}\u001b[22m`,
  optionDescription(option: Option): string {
    const variable = variables.get(option);
    const text = usual.optionDescription(option);
    return variable === undefined ? text : `${text} [${variable}]`;
  },
  /** The usage without `[options]`, which every command has. */
  subcommandTerm(command: Command): string {
    const words = command.registeredArguments.map((argument) => {
      const word = `${argument.name()}${argument.variadic ? "..." : ""}`;
      return argument.required ? `<${word}>` : `[${word}]`;
    });
    return [command.name(), ...words].join(" ");
  },
};
