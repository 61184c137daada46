import { CliError } from "./cli-error.ts";
import type { CommandIo } from "./command-context.ts";

/** Goes on only if the user means it: by `--yes`, or by an answer at the terminal. */
export async function confirm(io: CommandIo, yes: boolean | undefined, question: string): Promise<void> {
  if (yes === true) return;
  if (io.ask === undefined) throw new CliError("CLI_NOT_CONFIRMED", `${question} Say --yes if you mean it`);
  if (!(await io.ask(`${question} [y/N] `))) throw new CliError("CLI_NOT_CONFIRMED", "nothing was changed");
}
