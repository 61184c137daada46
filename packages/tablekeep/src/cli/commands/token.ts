import type { Command } from "commander";
import { addCommand } from "../add-command.ts";
import { CliError } from "../cli-error.ts";
import type { CommandContext } from "../command-context.ts";

/** `tablekeep token`: a token for the server, and the line that lets it in. */
export function addTokenCommand(program: Command, context: CommandContext): void {
  addCommand(program, "token", {
    summary: "make a token",
    description:
      "Makes a token for the server's own API and its web page, and the line name:hash that a file of tokens needs for it. The token is shown this once: only its hash is kept.",
    examples: ["npx tablekeep token ci", "npx tablekeep token --json deploy"],
  })
    .argument("<name>", "whose token it is")
    .action((name: string) => token(name, context));
}

async function token(name: string, context: CommandContext): Promise<void> {
  if (!/^[\w.@-]{1,64}$/.test(name)) {
    throw new CliError(
      "CLI_VALUE_INVALID",
      "the name must be 1 to 64 letters, digits, dots, dashes, underscores or @",
    );
  }
  const { newToken, tokenHash } = await import("../../server/auth/tokens-file.ts");
  const made = newToken();
  const line = `${name}:${tokenHash(made)}`;
  context.print(`token  ${made}\nline   ${line}`, { token: made, line });
}
