import type { CommanderError } from "commander";
import { CliError, type CliErrorCode } from "./cli-error.ts";

/** Commander's codes for a wrong command line, and ours. */
const codes: Readonly<Record<string, CliErrorCode>> = {
  "commander.help": "CLI_COMMAND_MISSING",
  "commander.unknownCommand": "CLI_COMMAND_UNKNOWN",
  "commander.unknownOption": "CLI_OPTION_UNKNOWN",
  "commander.optionMissingArgument": "CLI_OPTION_MISSING",
  "commander.missingMandatoryOptionValue": "CLI_OPTION_MISSING",
  "commander.conflictingOption": "CLI_OPTION_CONFLICT",
  "commander.missingArgument": "CLI_ARGUMENT_MISSING",
  "commander.excessArguments": "CLI_ARGUMENT_UNEXPECTED",
  "commander.invalidArgument": "CLI_VALUE_INVALID",
};

/** The error of the family for what the parser refused, or undefined where it only showed help or the version. */
export function translateCommanderError(error: CommanderError): CliError | undefined {
  if (error.exitCode === 0) return undefined;
  const code = codes[error.code] ?? "CLI_VALUE_INVALID";
  // Commander has just written its help to stderr, and its message says no more than that.
  if (code === "CLI_COMMAND_MISSING") return new CliError(code, "name one of the commands above", error);
  const [what = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const hint =
    suggestion?.replace(/^\(Did you mean (.*)\?\)$/, "did you mean $1?") ?? "--help shows what there is";
  const message = what.replace(/\.$/, "").replace(" is invalid. ", " is invalid: ");
  return new CliError(code, message.includes(": ") ? message : `${message}: ${hint}`, error);
}
