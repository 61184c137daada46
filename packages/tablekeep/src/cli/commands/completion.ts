import { Argument, type Command } from "commander";
import { type Shell, shells } from "../completion/shell-scripts.ts";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";

/** `tablekeep completion`: prints a script for a shell. `wholeProgram` returns the program with all its commands. */
export function addCompletionCommand(
  program: Command,
  { io }: CommandContext,
  wholeProgram: () => Promise<Command>,
): void {
  addCommand(program, "completion", {
    summary: "print a script that completes commands in a shell",
    description:
      "Prints a script that completes commands, options and their values in a shell. Load it in the shell's start-up file.",
    examples: ["npx tablekeep completion bash", "npx tablekeep completion zsh"],
  })
    .addArgument(new Argument("<shell>", "shell").choices(shells))
    .action(async (shell: Shell) => {
      const { commandTree } = await import("../completion/command-tree.ts");
      const { completionScript } = await import("../completion/shell-scripts.ts");
      io.stdout.write(completionScript(shell, commandTree(await wholeProgram())));
    });
}
