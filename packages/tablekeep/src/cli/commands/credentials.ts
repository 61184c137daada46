import { type Command, InvalidArgumentError } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, readInput } from "../frame/command-context.ts";

/** `tablekeep bcrypt`: prints the hash of a password, for a users file. */
export function addBcryptCommand(program: Command, context: CommandContext): void {
  addCommand(program, "bcrypt", {
    summary: "hash a password",
    description:
      "Prints the bcrypt hash of a password, for a name:hash line in a users file. Without an argument it reads the password from stdin, which keeps it out of process lists.",
    examples: ["npx tablekeep bcrypt secret", "npx tablekeep bcrypt --cost 12 secret"],
  })
    .argument("[password]", "password")
    .option("--cost <number>", "bcrypt cost from 4 to 15; each step doubles the work", parseCost, 10)
    .action((password: string | undefined, options: { cost: number }) =>
      bcrypt(password, options.cost, context),
    );
}

async function bcrypt(given: string | undefined, cost: number, context: CommandContext): Promise<void> {
  const password = given ?? firstLine(await readInput(context.io, 4096));
  if (password === "")
    throw new CliError("CLI_ARGUMENT_MISSING", "missing password: pass it as an argument or on stdin");
  if (Buffer.byteLength(password) > 72) {
    throw new CliError("CLI_VALUE_INVALID", "the password is longer than 72 bytes, which is bcrypt's limit");
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
    throw new InvalidArgumentError("expected an integer from 4 to 15");
  return cost;
}

/** `tablekeep token`: creates a token for the server, and its line for the tokens file. */
export function addTokenCommand(program: Command, context: CommandContext): void {
  addCommand(program, "token", {
    summary: "create a token",
    description:
      "Creates a token for /api/v3 and the console, and the name:hash line for the tokens file. The token is printed once; only its hash is stored.",
    examples: ["npx tablekeep token ci", "npx tablekeep token --json deploy"],
  })
    .argument("<name>", "name of the token")
    .action((name: string) => token(name, context));
}

async function token(name: string, context: CommandContext): Promise<void> {
  if (!/^[\w.@-]{1,64}$/.test(name)) {
    throw new CliError(
      "CLI_VALUE_INVALID",
      "the name must be 1 to 64 letters, digits, dots, dashes, underscores or @",
    );
  }
  const { newToken, tokenHash } = await import("../../server/auth/secret-files.ts");
  const made = newToken();
  const line = `${name}:${tokenHash(made)}`;
  context.print(`token  ${made}\nline   ${line}`, { token: made, line });
}
