import { type Command, InvalidArgumentError } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";
import { readInput } from "../read-input.ts";

/** `tablekeep bcrypt`: the hash of a password, for a file of users. */
export function addBcryptCommand(program: Command, context: CommandContext): void {
  addCommand(program, "bcrypt", {
    summary: "make the hash of a password",
    description:
      "Prints the bcrypt hash of a password, for a line name:hash in a file of users. Without a password it reads one line of stdin, which keeps the password out of lists of processes.",
    examples: ["npx tablekeep bcrypt secret", "npx tablekeep bcrypt --cost 12 secret"],
  })
    .argument("[password]", "the password")
    .option(
      "--cost <number>",
      "how much work the hash is, from 4 to 15; one more is twice as much",
      parseCost,
      10,
    )
    .action((password: string | undefined, options: { cost: number }) =>
      bcrypt(password, options.cost, context),
    );
}

async function bcrypt(given: string | undefined, cost: number, context: CommandContext): Promise<void> {
  const password = given ?? firstLine(await readInput(context.io, 4096));
  if (password === "")
    throw new CliError("CLI_ARGUMENT_MISSING", "give a password, as an argument or on stdin");
  if (Buffer.byteLength(password) > 72) {
    throw new CliError(
      "CLI_VALUE_INVALID",
      "the password is longer than 72 bytes, of which bcrypt would drop the rest",
    );
  }
  const { hash } = await import("bcryptjs");
  const made = await hash(password, cost);
  context.print(made, { hash: made });
}

function firstLine(input: Buffer): string {
  return input.toString("utf8").split(/\r?\n/, 1)[0] ?? "";
}

function parseCost(text: string): number {
  const cost = Number(text);
  if (!Number.isInteger(cost) || cost < 4 || cost > 15)
    throw new InvalidArgumentError("give a number from 4 to 15");
  return cost;
}
